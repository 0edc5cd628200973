import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../api/client";
import type { Device } from "../../api/schema";
import { applyToEach, changeOf } from "./bulk";

const device = (index_no: number, fields: Partial<Device> = {}) =>
  ({ index_no, tags: [], health: "ok", ...fields }) as unknown as Device;

describe("changeOf", () => {
  it("adds and takes away tags, and asks nothing of a device that has them so", () => {
    const change = { act: "tag", added: ["new"], removed: ["old"] } as const;
    expect(changeOf(change, device(1, { tags: ["old", "kept"] }))).toEqual({ tags: ["kept", "new"] });
    expect(changeOf(change, device(2, { tags: ["new"] }))).toBeNull();
  });

  it("releases only what is quarantined", () => {
    expect(changeOf({ act: "release" }, device(1))).toBeNull();
    expect(changeOf({ act: "release" }, device(1, { health: "quarantined" }))).toEqual({ health: "ok" });
  });
});

describe("applyToEach", () => {
  it("goes on past those that refuse, and names them in order", async () => {
    const refused = new ApiError(404, { code: "not_found", message: "no such device" });
    const ask = vi.fn((each: Device) => (each.index_no % 4 === 0 ? Promise.reject(refused) : Promise.resolve()));
    const all = Array.from({ length: 20 }, (_, at) => device(20 - at));

    const failures = await applyToEach(all, ask);

    expect(ask).toHaveBeenCalledTimes(20);
    expect(failures.map((each) => each.device.index_no)).toEqual([4, 8, 12, 16, 20]);
    expect(failures[0]?.message).toBe("no such device");
  });

  it("asks nobody else once the server is away, and counts them all as failed", async () => {
    const away = new ApiError(0, { code: "unreachable", message: "The server cannot be reached." });
    const ask = vi.fn((each: Device) => (each.index_no > 3 ? Promise.reject(away) : Promise.resolve()));
    const all = Array.from({ length: 100 }, (_, at) => device(at + 1));

    const failures = await applyToEach(all, ask);

    expect(failures).toHaveLength(97);
    expect(ask.mock.calls.length).toBeLessThan(20);
  });
});
