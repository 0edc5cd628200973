import { describe, expect, it } from "vitest";
import type { Chain, Task, TaskStatus } from "../../api/schema";
import { byChain, order } from "./order";
import { actsOn } from "./TaskActions";

const chain = (id: string, status: TaskStatus, created_at: string) => ({ id, status, created_at }) as Chain;
const task = (chain_id: string, sequence: number) => ({ chain_id, sequence }) as Task;

describe("what is shown where", () => {
  it("begins with chains in progress, then those that wait, oldest first, and ends with the newest that are over", () => {
    const chains = [
      chain("old done", "done", "2026-01-01"),
      chain("new done", "done", "2026-01-05"),
      chain("failed", "failed", "2026-01-04"),
      chain("second", "queued", "2026-01-03"),
      chain("first", "queued", "2026-01-02"),
      chain("aside", "locked", "2026-01-01"),
      chain("going", "in_progress", "2026-01-06"),
    ];
    expect(order(chains).map(({ id }) => id)).toEqual([
      "going",
      "first",
      "second",
      "aside",
      "failed",
      "new done",
      "old done",
    ]);
  });

  it("keeps the tasks of a chain in their order", () => {
    const found = byChain([task("a", 3), task("b", 1), task("a", 1), task("a", 2)]);
    expect(found.get("a")?.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(found.get("b")).toHaveLength(1);
  });
});

describe("what a person may do", () => {
  it("depends on where the task is", () => {
    const acts = (status: TaskStatus) => actsOn({ status } as Task);
    expect(acts("queued")).toEqual(["assign", "lock"]);
    expect(acts("locked")).toEqual(["assign", "unlock"]);
    expect(acts("in_progress")).toEqual(["complete", "fail"]);
    expect([...acts("done"), ...acts("failed")]).toEqual([]);
  });
});
