/** Tags as people write them, and as devices have them. */

/** "pixel, nightly" as tags, each once. */
export function parseTags(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((tag) => tag !== ""))];
}

/** Tags with some added at the end and some taken away. */
export function retagged(tags: readonly string[], added: readonly string[], removed: readonly string[]): string[] {
  return [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag));
}

/** Every tag of these devices with how many have it, by name. */
export function countTags(devices: readonly { tags: readonly string[] }[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const tag of devices.flatMap((device) => device.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
