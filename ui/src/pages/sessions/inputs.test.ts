import { describe, expect, it, vi } from "vitest";
import type { Touch } from "../../api/schema";
import { type Contact, gestureOf, InputQueue, pixelAt, touchOfKey } from "./inputs";

const contact = (fields: Partial<Contact>): Contact => ({ pageX: 0, pageY: 0, x: 0, y: 0, at: 0, ...fields });
const pressed = (key: string, held: Partial<Record<"ctrlKey" | "metaKey" | "altKey", boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

describe("pixelAt", () => {
  const box = { left: 100, top: 50, width: 270, height: 600 };
  const screen = { width: 1080, height: 2400 };

  it("finds the phone's own pixel under a point of the page", () => {
    expect(pixelAt(box, screen, 100 + 135, 50 + 300)).toEqual({ x: 540, y: 1200 });
    expect(pixelAt(box, screen, 100, 50)).toEqual({ x: 0, y: 0 });
  });

  it("stays on the screen when the finger leaves the picture", () => {
    expect(pixelAt(box, screen, 5000, 5000)).toEqual({ x: 1079, y: 2399 });
    expect(pixelAt(box, screen, -5, -5)).toEqual({ x: 0, y: 0 });
  });

  it("knows no pixel without a picture", () => {
    expect(pixelAt(box, { width: 0, height: 0 }, 120, 60)).toBeNull();
  });
});

describe("gestureOf", () => {
  it("is a tap where the finger was put down, though it trembled", () => {
    const down = contact({ pageX: 10, x: 40, y: 80 });
    expect(gestureOf(down, contact({ pageX: 14, x: 56, y: 80, at: 120 }))).toEqual({ kind: "tap", x: 40, y: 80 });
  });

  it("is a swipe as long as the drag took", () => {
    const swipe = gestureOf(contact({ x: 40, y: 800 }), contact({ pageY: 90, x: 44, y: 300, at: 312.4 }));
    expect(swipe).toEqual({ kind: "swipe", x: 40, y: 800, to_x: 44, to_y: 300, duration_ms: 312 });
  });

  it("is a long press where the finger stayed", () => {
    expect(gestureOf(contact({ x: 7, y: 9 }), contact({ x: 8, y: 9, at: 900 }))).toEqual({
      kind: "swipe",
      x: 7,
      y: 9,
      to_x: 7,
      to_y: 9,
      duration_ms: 900,
    });
  });
});

describe("touchOfKey", () => {
  it("types what is written and presses what has a name on the phone", () => {
    expect(touchOfKey(pressed("ä"))).toEqual({ kind: "text", text: "ä" });
    expect(touchOfKey(pressed(" "))).toEqual({ kind: "text", text: " " });
    expect(touchOfKey(pressed("Backspace"))).toEqual({ kind: "key", key: "DEL" });
    expect(touchOfKey(pressed("Escape"))).toEqual({ kind: "key", key: "BACK" });
  });

  it("leaves shortcuts, Tab and keys that only modify to the browser", () => {
    expect(touchOfKey(pressed("Tab"))).toBeNull();
    expect(touchOfKey(pressed("Shift"))).toBeNull();
    expect(touchOfKey(pressed("F5"))).toBeNull();
    expect(touchOfKey(pressed("v", { ctrlKey: true }))).toBeNull();
    expect(touchOfKey(pressed("l", { metaKey: true }))).toBeNull();
    expect(touchOfKey({ ...pressed("@", { ctrlKey: true, altKey: true }), getModifierState: () => true })).toEqual({
      kind: "text",
      text: "@",
    });
  });
});

describe("InputQueue", () => {
  it("sends one after the other, and joins what was typed meanwhile", async () => {
    const sent: Touch[] = [];
    const answers: (() => void)[] = [];
    const ended = vi.fn();
    const queue = new InputQueue((touch) => {
      sent.push(touch);
      return new Promise<void>((resolve) => answers.push(resolve));
    }, ended);
    queue.push({ kind: "tap", x: 1, y: 1 });
    for (const text of ["a", "b", "c"]) queue.push({ kind: "text", text });
    queue.push({ kind: "key", key: "ENTER" });
    queue.push({ kind: "text", text: "d" });
    expect(sent).toEqual([{ kind: "tap", x: 1, y: 1 }]);

    for (let at = 0; at < 4; at += 1) {
      await vi.waitFor(() => expect(answers).toHaveLength(at + 1));
      answers[at]?.();
    }

    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(4));
    expect(sent.slice(1)).toEqual([
      { kind: "text", text: "abc" },
      { kind: "key", key: "ENTER" },
      { kind: "text", text: "d" },
    ]);
  });

  it("forgets what waits behind a refusal, and goes on with what comes after", async () => {
    const refusal = new Error("the session has ended");
    const send = vi.fn().mockRejectedValueOnce(refusal).mockResolvedValue(undefined);
    const ended = vi.fn();
    const queue = new InputQueue(send, ended);
    queue.push({ kind: "tap", x: 1, y: 1 });
    queue.push({ kind: "tap", x: 2, y: 2 });
    await vi.waitFor(() => expect(ended).toHaveBeenCalledWith(refusal));

    queue.push({ kind: "tap", x: 3, y: 3 });

    await vi.waitFor(() => expect(ended).toHaveBeenLastCalledWith(null));
    expect(send.mock.calls.map(([touch]) => (touch as Touch).x)).toEqual([1, 3]);
  });
});
