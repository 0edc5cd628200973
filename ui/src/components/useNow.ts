import { useEffect, useState } from "react";

/** The time, told every second (or as often as asked) while it matters. */
export function useNow(every = 1000, isOn = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, isOn]);
  return now;
}
