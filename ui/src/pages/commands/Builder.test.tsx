import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { sessionQuery } from "../../api/queries";
import type { Playbook, PlaybookCheck } from "../../api/schema";
import { WordsProvider } from "../../i18n/text";
import { Builder } from "./Builder";
import { command } from "./fixtures";

const COMMANDS = [
  command("open-app", { title: "Open the app", params: { package: { type: "string" } }, timeout_bounds_s: [5, 60] }),
  command("look", { title: "Look" }),
];
const TOUR = {
  playbook_id: "p1",
  name: "tour",
  title: "A tour",
  description: null,
  timeout_s: null,
  defaults: {},
  steps: [
    { command: "open-app", probability: 1, params: { package: "com.a" } },
    { command: "look", probability: 0.5, params: {} },
  ],
  workflow_version: 3,
  is_outdated: false,
  updated_at: "2026-01-01T00:00:00Z",
} as unknown as Playbook;
const FINE: PlaybookCheck = {
  problems: [],
  text: "name: tour\ntitle: new\n",
  saved_version: 3,
  saved_text: "name: tour\n",
};

let sent: { method: string; url: string; body: unknown }[] = [];
let answer: PlaybookCheck = FINE;

beforeEach(() => {
  sent = [];
  answer = FINE;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const method = init?.method ?? "GET";
    sent.push({ method, url: String(url), body: init?.body ? JSON.parse(String(init.body)) : null });
    if (String(url).endsWith("/validate")) return Response.json(answer);
    if (method === "PUT" || method === "POST") return Response.json({ ...TOUR, workflow_version: 4 });
    return new Response("{}", { status: 503 });
  });
});

async function show({ playbook = TOUR as Playbook | null, role = "operator" } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, refetchInterval: false } } });
  client.setQueryData(sessionQuery.queryKey, { actor: "ann", role, expires_at: null } as never);
  const root = createRootRoute({ component: () => <Outlet /> });
  const here = createRoute({
    getParentRoute: () => root,
    path: "/",
    component: () => <Builder playbook={playbook} taken={["tour"]} commands={COMMANDS} bounds={[1, 3600]} />,
  });
  const list = createRoute({
    getParentRoute: () => root,
    path: "/commands/playbooks",
    component: () => <p>The list</p>,
  });
  const router = createRouter({
    routeTree: root.addChildren([here, list]),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <WordsProvider initial="en">
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </WordsProvider>,
  );
  await screen.findByRole("heading", { level: 1 });
}

const order = () => screen.queryAllByTestId("step").map((card) => card.dataset.command);
const step = (place: number) => within(screen.getAllByTestId("step")[place] as HTMLElement);
const lastCheck = () => sent.filter(({ url }) => url.endsWith("/validate")).at(-1)?.body as { steps: unknown[] };

describe("the playbook builder", () => {
  it("adds, removes and reorders steps by keyboard, and says so", async () => {
    await show();
    await userEvent.click(screen.getByRole("button", { name: /Add a step: ?Look/ }));
    expect(order()).toEqual(["open-app", "look", "look"]);
    step(0).getByTestId("handle").focus();
    await userEvent.keyboard("{ArrowDown}");
    expect(order()).toEqual(["look", "open-app", "look"]);
    expect(screen.getByText("open-app is now step 2 of 3.")).toBeTruthy();
    await userEvent.keyboard("{End}");
    expect(order()).toEqual(["look", "look", "open-app"]);
    expect(document.activeElement).toBe(step(2).getByTestId("handle"));
    await userEvent.click(step(2).getByRole("button", { name: "Move up: open-app" }));
    await userEvent.click(step(0).getByRole("button", { name: "Remove step: look" }));
    expect(order()).toEqual(["open-app", "look"]);
  });

  it("asks the server about every change, and shows its words beside the field", async () => {
    await show();
    answer = { ...FINE, text: null, problems: [{ path: "steps[0].timeout_s", message: "99 s is outside [5, 60]" }] };
    const timeout = step(0).getByLabelText("Timeout (s)");
    await userEvent.type(timeout, "99");
    await step(0).findByText("99 s is outside [5, 60]");
    expect(timeout.getAttribute("aria-invalid")).toBe("true");
    expect(lastCheck().steps[0]).toEqual({ command: "open-app", timeout_s: 99, params: { package: "com.a" } });
    expect(screen.getByText("1 thing is not right yet")).toBeTruthy();
  });

  it("keeps the number and the slider of a chance together, however exact", async () => {
    await show();
    const number = step(0).getByLabelText("Chance in percent");
    await userEvent.clear(number);
    await userEvent.type(number, "12.5");
    expect((step(0).getByLabelText("Chance on each phone") as HTMLInputElement).getAttribute("aria-valuetext")).toBe(
      "12.5%",
    );
    await waitFor(() => expect(lastCheck().steps[0]).toMatchObject({ probability: 0.125 }));
    expect(within(screen.getAllByTestId("share")[0] as HTMLElement).getByText("12.5%")).toBeTruthy();
  });

  it("shows what changes before it saves the next version", async () => {
    await show();
    await userEvent.type(screen.getByLabelText("Title"), "!");
    await userEvent.click(screen.getByRole("button", { name: "Save …" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Save tour as version 4" }));
    expect(dialog.getByTestId("diff").textContent).toContain("added: title: new");
    await userEvent.click(dialog.getByRole("button", { name: "Save version 4" }));
    await waitFor(() => expect(sent.find(({ method }) => method === "PUT")?.body).toMatchObject({ title: "A tour!" }));
  });

  it("saves nothing while something is wrong", async () => {
    answer = { ...FINE, problems: [{ path: "steps[0].command.with.package", message: "is required" }], text: null };
    await show();
    await userEvent.click(screen.getByRole("button", { name: "Save …" }));
    await step(0).findByText("is required");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("does not complain of what was not begun, and refuses a name that is taken", async () => {
    answer = { ...FINE, problems: [{ path: "steps", message: "needs at least 1" }], text: null };
    await show({ playbook: null });
    await waitFor(() => expect(lastCheck()).toBeTruthy());
    expect(screen.queryByText("needs at least 1")).toBeNull();
    await userEvent.type(screen.getByLabelText(/^Name/), "tour");
    expect(screen.getByText(/There is a playbook of this name/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Save …" }));
    await screen.findByText("needs at least 1");
  });

  it("asks before changes are lost", async () => {
    await show();
    await userEvent.type(screen.getByLabelText("Title"), "!");
    await userEvent.click(screen.getByRole("link", { name: "All playbooks" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Leave without saving?" }));
    expect(screen.queryByText("The list")).toBeNull();
    await userEvent.click(dialog.getByRole("button", { name: "Leave and lose it" }));
    await screen.findByText("The list");
  });

  it("lets one leave who changed nothing", async () => {
    await show();
    await userEvent.click(screen.getByRole("link", { name: "All playbooks" }));
    await screen.findByText("The list");
  });

  it("shows everything to a viewer, and lets nothing be changed", async () => {
    await show({ role: "viewer" });
    expect(order()).toEqual(["open-app", "look"]);
    expect(screen.queryByRole("button", { name: "Save …" })).toBeNull();
    expect(screen.queryByTestId("handle")).toBeNull();
    expect(step(0).getByLabelText("Timeout (s)").matches(":disabled")).toBe(true);
  });
});
