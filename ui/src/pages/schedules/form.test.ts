import { describe, expect, it } from "vitest";
import type { ScheduleView, Workflow } from "../../api/schema";
import { bodyOf, formOf, newForm, paramsOf, targetForm } from "./form";
import { zoneNames, zoneTime } from "./zones";

const WORKFLOW = {
  name: "smoke",
  version: 2,
  recipe: {
    params: {
      package: { type: "string", default: "com.android.settings" },
      rounds: { type: "int", default: 3 },
      password: { type: "string", secret: true },
    },
  },
} as unknown as Workflow;
const SCHEDULE = {
  name: "nightly",
  cron: "0 3 * * *",
  time_zone: "Asia/Seoul",
  run: {
    workflow: "smoke",
    version: 1,
    target: { indexes: [[1, 20], 57] },
    params: { rounds: 5 },
    overrides: { open: { timeout_s: 60 } },
    policy: { concurrency: 4, max_attempts: 2 },
    workspace: "lab",
  },
  secret_params: ["password"],
  overlap: "allow",
  catch_up: "all",
  catch_up_limit: 7,
} as unknown as ScheduleView;

describe("a schedule's form", () => {
  it("asks for what it shows", () => {
    const form = { ...newForm(WORKFLOW), name: " nightly ", timeZone: "UTC" };
    const body = bodyOf(form, paramsOf(WORKFLOW, []), undefined);
    expect(body).toMatchObject({ name: "nightly", cron: "0 3 * * *", time_zone: "UTC", overlap: "skip" });
    expect(body.run).toEqual({ workflow: "smoke", target: { all: true }, params: {}, policy: {} });
  });

  it("keeps what it does not show when a schedule is edited", () => {
    const params = paramsOf(WORKFLOW, SCHEDULE.secret_params);
    const body = bodyOf(formOf(SCHEDULE, WORKFLOW), params, SCHEDULE.run);
    expect(body.run).toEqual(SCHEDULE.run);
    expect(body).toMatchObject({ overlap: "allow", catch_up: "all", catch_up_limit: 7 });
  });

  it("forgets a version and overrides with the workflow that they were for", () => {
    const form = { ...formOf(SCHEDULE, WORKFLOW), workflow: "other" };
    const { run } = bodyOf(form, [], SCHEDULE.run);
    expect(run.version).toBeUndefined();
    expect(run.overrides).toBeUndefined();
  });

  it("does not ask again for a secret that is kept", () => {
    const spec = (kept: string[]) => paramsOf(WORKFLOW, kept).find(([name]) => name === "password")?.[1].required;
    expect([spec([]), spec(["password"])]).toEqual([undefined, false]);
  });

  it("shows targets that it has words for and keeps the others", () => {
    expect(targetForm({ all: true })?.kind).toBe("all");
    expect(targetForm({ tags: ["pixel"] })?.tags).toEqual(["pixel"]);
    expect(targetForm({ indexes: [[1, 3], 9] })?.numbers).toBe("1-3, 9");
    expect(targetForm({ nodes: ["rack-1"] })).toBeNull();
    expect(targetForm({ any: 3, tags: ["pixel"] })).toMatchObject({ kind: "pool", count: "3", tags: ["pixel"] });
    expect(targetForm({ any: 3 })).toMatchObject({ kind: "pool", count: "3", tags: [] });
    const odd = { ...SCHEDULE, run: { ...SCHEDULE.run, target: { nodes: ["rack-1"] } } } as ScheduleView;
    expect(bodyOf(formOf(odd, WORKFLOW), [], odd.run).run.target).toEqual({ nodes: ["rack-1"] });
  });
});

describe("time zones", () => {
  it("show times as clocks there do, and in UTC where they are not known", () => {
    expect(zoneTime("en", "2026-03-01T18:00:00Z", "Asia/Seoul")).toContain("03:00");
    expect(zoneTime("en", "2026-03-01T18:00:00Z", "Mars/Olympus")).toContain("18:00");
  });

  it("are listed once each", () => {
    expect(zoneNames()).toContain("UTC");
    expect(new Set(zoneNames()).size).toBe(zoneNames().length);
  });
});
