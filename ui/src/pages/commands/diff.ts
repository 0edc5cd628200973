/** What changed between two texts, line by line. */

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  /** Its place in the whole, for whoever needs a name for it. */
  at: number;
}

/** The shortest way from one text to the other. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const next = linesOf(after);
  const common = commonLengths(old, next);
  const lines: Omit<DiffLine, "at">[] = [];
  let from = 0;
  let to = 0;
  while (from < old.length || to < next.length) {
    const was = old[from];
    const is = next[to];
    if (was !== undefined && was === is) {
      lines.push({ kind: "same", text: was });
      from += 1;
      to += 1;
    } else if (
      is === undefined ||
      (was !== undefined && length(common, from + 1, to) >= length(common, from, to + 1))
    ) {
      lines.push({ kind: "removed", text: was ?? "" });
      from += 1;
    } else {
      lines.push({ kind: "added", text: is });
      to += 1;
    }
  }
  return lines.map((line, at) => ({ ...line, at }));
}

/** The changed lines with a few around them; null stands for lines left out. */
export function withContext(lines: readonly DiffLine[], around = 3): (DiffLine | null)[] {
  const kept = lines.filter((line) =>
    lines.slice(Math.max(0, line.at - around), line.at + around + 1).some((near) => near.kind !== "same"),
  );
  return kept.flatMap((line, place) => {
    const before = place === 0 ? -1 : (kept[place - 1]?.at ?? -1);
    return line.at > before + 1 ? [null, line] : [line];
  });
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** The length of the longest common part of what follows each pair of places. */
function commonLengths(old: readonly string[], next: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(next.length + 1));
  for (let from = old.length - 1; from >= 0; from -= 1) {
    const row = table[from] as Uint32Array;
    for (let to = next.length - 1; to >= 0; to -= 1) {
      row[to] =
        old[from] === next[to]
          ? length(table, from + 1, to + 1) + 1
          : Math.max(length(table, from + 1, to), length(table, from, to + 1));
    }
  }
  return table;
}

function length(table: readonly Uint32Array[], from: number, to: number): number {
  return table[from]?.[to] ?? 0;
}
