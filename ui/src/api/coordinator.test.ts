import { describe, expect, it } from "vitest";
import { applyNews } from "./coordinator";
import type { Overview, Task } from "./schema";

const task = (id: string, status: Task["status"]) => ({ id, status }) as Task;
const KNOWN = {
  agents: [],
  channels: [],
  chains: [],
  tasks: [task("1", "queued"), task("2", "queued")],
  events: [{ id: "b" }, { id: "a" }],
} as unknown as Overview;

describe("news", () => {
  it("replaces what is known, adds what is new and drops what is gone", () => {
    const news = {
      type: "tasks",
      payload: { tasks: [task("2", "done"), task("3", "queued")], deleted: ["1"] },
    };
    expect(applyNews(KNOWN, news).tasks).toEqual([task("2", "done"), task("3", "queued")]);
    expect(applyNews(KNOWN, news).events).toBe(KNOWN.events);
  });

  it("puts the newest events first, each once, and keeps no more than sixty", () => {
    const told = Array.from({ length: 70 }, (_, at) => ({ id: `n${at}` }));
    const news = { type: "events", payload: { events: [{ id: "b" }, ...told] as Overview["events"] } };
    const { events } = applyNews(KNOWN, news);
    expect(events).toHaveLength(60);
    expect(events[0]?.id).toBe("n69");
    expect(applyNews(KNOWN, { type: "events", payload: { events: KNOWN.events } }).events).toEqual(KNOWN.events);
  });

  it("leaves everything as it is when the server only says that something changed", () => {
    expect(applyNews(KNOWN, { type: "update", payload: {} })).toBe(KNOWN);
    expect(applyNews(KNOWN, { type: "weather" })).toBe(KNOWN);
  });
});
