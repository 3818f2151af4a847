// Compares two lines word by word, for display. Knows no editor.

export interface Segment {
  kind: "same" | "removed" | "inserted";
  text: string;
}

/**
 * How alike two lines are, from 0 to 1: how much of the longer one stands in both or, a little less,
 * how much of the old one was kept, so that a line that only got longer counts as changed.
 */
export function similarity(old: string, now: string): number {
  const [before, after] = [old.trim(), now.trim()];
  const longest = Math.max(before.length, after.length);
  if (longest === 0) return 1;
  const same = diffWords(before, after)
    .filter((segment) => segment.kind === "same")
    .reduce((sum, segment) => sum + segment.text.trim().length, 0);
  const kept = same >= TELLING ? same / before.length : 0;
  return Math.max(same / longest, 0.9 * kept);
}

const TELLING = 6; // a bracket or a keyword that two lines share says nothing

/** From `old` to `now` in segments; of a replaced stretch what was removed comes first. */
export function diffWords(old: string, now: string): Segment[] {
  const a = words(old);
  const b = words(now);
  let before = 0;
  while (before < a.length && before < b.length && a[before] === b[before]) before++;
  let after = 0;
  while (after < Math.min(a.length, b.length) - before && a[a.length - 1 - after] === b[b.length - 1 - after])
    after++;
  return joined([
    ...a.slice(0, before).map((text): Segment => ({ kind: "same", text })),
    ...compared(a.slice(before, a.length - after), b.slice(before, b.length - after)),
    ...a.slice(a.length - after).map((text): Segment => ({ kind: "same", text })),
  ]);
}

const MAX_CELLS = 40_000; // of the table below: beyond it two lines count as replaced whole

function words(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Longest common subsequence of words. */
function compared(a: string[], b: string[]): Segment[] {
  if (a.length * b.length > MAX_CELLS)
    return [
      { kind: "removed", text: a.join("") },
      { kind: "inserted", text: b.join("") },
    ];
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width); // [a.length + 1, b.length + 1]
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i * width + j] =
        a[i] === b[j]
          ? length[(i + 1) * width + j + 1]! + a[i]!.length
          : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
  const segments: Segment[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      segments.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) {
      segments.push({ kind: "removed", text: a[i++]! });
    } else {
      segments.push({ kind: "inserted", text: b[j++]! });
    }
  }
  segments.push(...a.slice(i).map((text): Segment => ({ kind: "removed", text })));
  segments.push(...b.slice(j).map((text): Segment => ({ kind: "inserted", text })));
  return segments;
}

/** Neighbours of one kind become one; so do changes with nothing but white space between them. */
function joined(segments: Segment[]): Segment[] {
  const result: Segment[] = [];
  let removed = "";
  let inserted = "";
  const flush = (): void => {
    if (removed) result.push({ kind: "removed", text: removed });
    if (inserted) result.push({ kind: "inserted", text: inserted });
    removed = inserted = "";
  };
  segments.forEach((segment, index) => {
    if (segment.kind === "removed") removed += segment.text;
    else if (segment.kind === "inserted") inserted += segment.text;
    else if (removed && inserted && !segment.text.trim() && isChange(segments[index + 1])) {
      removed += segment.text;
      inserted += segment.text;
    } else {
      flush();
      const last = result.at(-1);
      if (last?.kind === "same") last.text += segment.text;
      else result.push({ ...segment });
    }
  });
  flush();
  return result;
}

function isChange(segment: Segment | undefined): boolean {
  return segment !== undefined && segment.kind !== "same";
}
