import { type RefObject, useLayoutEffect, useState } from "react";

/** How wide an element is, kept up to date. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    setWidth(Math.floor(element.current.getBoundingClientRect().width));
    return () => observer.disconnect();
  }, [element]);
  return width;
}
