import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { configure, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WordsProvider } from "../../i18n/text";
import { Register } from "./Register";

const PREVIEW = {
  youtube_video_id: "dQw4w9WgXcQ",
  title: "Lobby loop",
  youtube_channel_id: null,
  channel_title: "Signage Lab",
  duration_s: 213,
  published_at: null,
  thumbnail: null,
  is_registered: false,
};

function answer(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

function show() {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <Register /> }),
    history: createMemoryHistory(),
  });
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <WordsProvider initial="en">
        {/* biome-ignore lint/suspicious/noExplicitAny: a router of one route, where the type wants the app's */}
        <RouterProvider router={router as any} />
      </WordsProvider>
    </QueryClientProvider>,
  );
}

// A busy machine may take its time.
configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 30_000 });

describe("registering a video", () => {
  const asked: string[] = [];
  let preview: () => Response;

  beforeEach(() => {
    asked.length = 0;
    preview = () => answer(PREVIEW);
    vi.stubGlobal("scrollTo", () => undefined);
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      asked.push(`${init.method} ${url} ${init.body ?? ""}`.trim());
      if (url.startsWith("/api/session")) return answer({ actor: "ann", role: "operator", expires_at: null });
      if (url.startsWith("/api/contents/preview")) return preview();
      return answer({ ...PREVIEW, runs: 0 }, 201);
    });
  });

  it("shows what a pasted address is, and registers it by its id", async () => {
    show();
    await userEvent.click(await screen.findByLabelText("Address or id of a YouTube video"));
    await userEvent.paste("https://youtu.be/dQw4w9WgXcQ?si=x");

    expect(await screen.findByText("Lobby loop")).toBeDefined();
    expect(screen.getByText("Signage Lab · 3 min 33 s")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Register" }));

    expect(await screen.findByText("Registered")).toBeDefined();
    expect(screen.getByRole("link", { name: "Open" }).getAttribute("href")).toBe("/content/dQw4w9WgXcQ");
    expect(asked).toContain('POST /api/contents {"url":"dQw4w9WgXcQ"}');
    expect(asked).toContain("GET /api/contents/preview?url=https%3A%2F%2Fyoutu.be%2FdQw4w9WgXcQ%3Fsi%3Dx");
  });

  it("says why an address is refused", async () => {
    const message = "evil.example is not a host of YouTube's";
    preview = () => answer({ error: { code: "content_url_invalid", message, path: "url" } }, 400);
    show();
    await userEvent.type(await screen.findByLabelText("Address or id of a YouTube video"), "evil.example/x{Enter}");

    expect((await screen.findByRole("alert")).textContent).toBe(message);
    expect(screen.queryByRole("button", { name: "Register" })).toBeNull();
  });
});
