import { vi } from "vitest";

/** Stands in for a canvas, which jsdom has none of: counts what is drawn. */
export function countDrawing(): { drawn: number } {
  const counted = { drawn: 0 };
  const context = new Proxy(
    { measureText: () => ({ width: 10 }), drawImage: () => (counted.drawn += 1) },
    { get: (target, name) => Reflect.get(target, name) ?? (() => undefined), set: () => true },
  );
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation(() => context as never);
  return counted;
}
