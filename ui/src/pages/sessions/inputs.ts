/** From mouse and keyboard to what a phone is asked: in its own pixels, one after the other. */

import type { Touch } from "../../api/schema";

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

/** Where a finger was put down or lifted, on the page and on the phone, and when. */
export interface Contact {
  pageX: number;
  pageY: number;
  x: number;
  y: number;
  at: number;
}

const STEADY_PX = 8;
const LONG_PRESS_MS = 500;
const [SHORTEST_MS, LONGEST_MS] = [50, 5000];
const MOST_TEXT = 1000;

/** The phone's pixel under a point of the page; null while there is no picture. */
export function pixelAt(box: Box, screen: Size, pageX: number, pageY: number): { x: number; y: number } | null {
  if (box.width <= 0 || box.height <= 0 || screen.width <= 0 || screen.height <= 0) return null;
  return {
    x: within(Math.floor(((pageX - box.left) / box.width) * screen.width), 0, screen.width - 1),
    y: within(Math.floor(((pageY - box.top) / box.height) * screen.height), 0, screen.height - 1),
  };
}

/** What a finger did: a tap, a swipe, or, where it was held in one place, a swipe to where it began. */
export function gestureOf(down: Contact, up: Contact): Touch {
  const { x, y } = down;
  const duration_ms = within(Math.round(up.at - down.at), SHORTEST_MS, LONGEST_MS);
  const isSteady = Math.hypot(up.pageX - down.pageX, up.pageY - down.pageY) < STEADY_PX;
  if (!isSteady) return { kind: "swipe", x, y, to_x: up.x, to_y: up.y, duration_ms };
  return duration_ms < LONG_PRESS_MS ? { kind: "tap", x, y } : { kind: "swipe", x, y, to_x: x, to_y: y, duration_ms };
}

const KEYS: Readonly<Record<string, string>> = {
  Enter: "ENTER",
  Backspace: "DEL",
  Delete: "FORWARD_DEL",
  Escape: "BACK",
  ArrowUp: "DPAD_UP",
  ArrowDown: "DPAD_DOWN",
  ArrowLeft: "DPAD_LEFT",
  ArrowRight: "DPAD_RIGHT",
  Home: "MOVE_HOME",
  End: "MOVE_END",
  PageUp: "PAGE_UP",
  PageDown: "PAGE_DOWN",
};

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  getModifierState?: (name: "AltGraph") => boolean;
}

/** What a key of the keyboard means to the phone; null leaves it to the browser: shortcuts, and Tab, which leads away. */
export function touchOfKey(event: Pressed): Touch | null {
  const isAltGr = event.getModifierState?.("AltGraph") ?? false;
  if (event.metaKey || ((event.ctrlKey || event.altKey) && !isAltGr)) return null;
  const key = KEYS[event.key];
  if (key !== undefined) return { kind: "key", key };
  return [...event.key].length === 1 ? { kind: "text", text: event.key } : null;
}

/** Sends one after the other, in order. What is typed meanwhile becomes one text; after a refusal the rest is forgotten. */
export class InputQueue {
  private readonly waiting: Touch[] = [];
  private isSending = false;

  constructor(
    private readonly send: (touch: Touch) => Promise<unknown>,
    private readonly onEnd: (error: Error | null) => void,
  ) {}

  push(touch: Touch): void {
    const last = this.waiting.at(-1);
    const joined = touch.kind === "text" && last?.kind === "text" ? `${last.text}${touch.text}` : null;
    if (joined !== null && joined.length <= MOST_TEXT)
      this.waiting[this.waiting.length - 1] = { kind: "text", text: joined };
    else this.waiting.push(touch);
    if (!this.isSending) void this.work();
  }

  private async work(): Promise<void> {
    this.isSending = true;
    for (let touch = this.waiting.shift(); touch; touch = this.waiting.shift()) {
      try {
        await this.send(touch);
        this.onEnd(null);
      } catch (error) {
        this.waiting.length = 0;
        this.onEnd(error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.isSending = false;
  }
}

function within(value: number, least: number, greatest: number): number {
  return Math.min(greatest, Math.max(least, value));
}
