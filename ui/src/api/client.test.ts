import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, call } from "./client";

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const bodiless = status === 204 || status === 304;
  return new Response(bodiless ? null : JSON.stringify(body), { status, headers });
}

describe("call", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("fills in the path and the query, and leaves out what was not given", async () => {
    const fetched = vi.fn().mockResolvedValue(answer(200, { runs: [], next: null }));
    vi.stubGlobal("fetch", fetched);
    await call("get", "/api/runs", { query: { status: ["failed", "running"], limit: 5, before: null } });
    expect(fetched.mock.calls[0]?.[0]).toBe("/api/runs?status=failed&status=running&limit=5");
  });

  it("sends the ETag that it has, and answers 304 with the very same object", async () => {
    const fetched = vi
      .fn()
      .mockResolvedValueOnce(answer(200, { version: 1 }, { etag: '"1.2"' }))
      .mockResolvedValueOnce(answer(304, null));
    vi.stubGlobal("fetch", fetched);
    const ask = () => call("get", "/api/runs/{run_id}", { path: { run_id: "etag-test" }, query: { device: "7" } });
    const first = await ask();
    expect(await ask()).toBe(first);
    expect(fetched.mock.calls[1]?.[1].headers.get("if-none-match")).toBe('"1.2"');
  });

  it("turns the server's refusal into an error with its path", async () => {
    const body = { error: { code: "invalid_request", message: "no such thing", path: "params.x", problems: null } };
    vi.stubGlobal("fetch", vi.fn().mockResolvedValue(answer(400, body)));
    const refused = await call("post", "/api/runs", { body: { workflow: "x" } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 400, path: "params.x", isAway: false });
  });

  it("tells a server that cannot be reached from one that refuses", async () => {
    vi.stubGlobal("fetch", vi.fn().mockRejectedValue(new TypeError("failed to fetch")));
    await expect(call("get", "/api/session")).rejects.toMatchObject({ status: 0, isAway: true });
  });
});
