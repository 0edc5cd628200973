import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WordsProvider } from "../../i18n/text";
import { countDrawing } from "../../test/canvas";
import { Heatmap, type HeatmapProps } from "./Heatmap";
import { HeatmapPanel } from "./Panel";
import type { Tile } from "./states";

const TILES: Tile[] = Array.from({ length: 30 }, (_, at) => ({
  index: at + 1,
  state: at < 3 ? "error" : "done",
  title: `#${at + 1} phone`,
  detail: at === 0 ? "no OK button" : undefined,
}));

function show(props: Partial<HeatmapProps>) {
  render(
    <WordsProvider initial="en">
      <Heatmap tiles={TILES} label="Devices" {...props} />
    </WordsProvider>,
  );
  return screen.getByRole("application");
}

describe("Heatmap", () => {
  beforeEach(() => {
    countDrawing();
    vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue({ left: 0, top: 0, width: 480 } as DOMRect);
  });

  it("says what it shows", () => {
    expect(show({}).getAttribute("aria-label")).toContain("27 done, 3 failed");
  });

  it("opens a tile by keyboard, and reads it out on the way", async () => {
    const onOpen = vi.fn();
    const map = show({ onOpen });
    await userEvent.tab();
    await userEvent.keyboard("{ArrowRight}{ArrowLeft}{Enter}");
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(1);
    expect(map.querySelector("[aria-live]")?.textContent).toBe("#1 phone, failed. no OK button");
  });

  it("chooses a range by Shift and arrows", async () => {
    const onSelect = vi.fn();
    show({ onSelect });
    await userEvent.tab();
    await userEvent.keyboard("{Shift>}{ArrowRight}{/Shift}");
    expect(onSelect).toHaveBeenLastCalledWith(new Set([1, 2]));
  });

  it("chooses what a drag encloses", () => {
    const onSelect = vi.fn();
    const canvas = show({ onSelect }).querySelector("canvas") as HTMLCanvasElement;
    canvas.setPointerCapture = () => undefined;
    const pitch = Number(canvas.dataset.pitch);
    const columns = Number(canvas.dataset.columns);
    fireEvent.pointerDown(canvas, { button: 0, clientX: 2, clientY: 2, pointerType: "mouse" });
    fireEvent.pointerUp(canvas, { clientX: pitch + 5, clientY: pitch + 5, pointerType: "mouse" });
    expect(onSelect).toHaveBeenCalledWith(new Set([1, 2, columns + 1, columns + 2]));
  });

  it("opens what is clicked", () => {
    const onOpen = vi.fn();
    const canvas = show({ onOpen }).querySelector("canvas") as HTMLCanvasElement;
    fireEvent.pointerDown(canvas, { button: 0, clientX: 5, clientY: 5 });
    fireEvent.pointerUp(canvas, { clientX: 5, clientY: 5 });
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(1);
  });
});

describe("HeatmapPanel", () => {
  it("tells the same as a table, narrowed to one state by its legend", async () => {
    countDrawing();
    const onOpen = vi.fn();
    render(
      <WordsProvider initial="en">
        <HeatmapPanel tiles={TILES} states={["done", "error"]} label="Devices" onOpen={onOpen} />
      </WordsProvider>,
    );
    await userEvent.click(screen.getByRole("button", { name: "As a table" }));
    expect(screen.getAllByRole("row")).toHaveLength(31);
    await userEvent.click(screen.getByRole("button", { name: /failed\s*3/ }));
    expect(screen.getAllByRole("row")).toHaveLength(4);
    await userEvent.click(screen.getByRole("button", { name: "#2 phone" }));
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(2);
  });
});
