// Whether hunks wait where the user does not look. Knows no editor.

/** Hunks on one side of what can be seen. */
export interface Beyond {
  count: number;
  side: "above" | "below";
  /** A line that can be seen, at that edge, with room behind its text. */
  line: number;
}

const EDGE_LINES = 3;

/**
 * The hunks that are out of sight; undefined where there is none, or one can be seen. Those below go first.
 *
 * `first` and `last`: the lines that can be seen, of which the outermost may be cut in half.
 */
export function elsewhere(
  hunks: readonly { start: number; count: number }[],
  first: number,
  last: number,
  lineAt: (line: number) => string,
): Beyond | undefined {
  const isSeen = ({ start, count }: { start: number; count: number }): boolean =>
    start <= last && start + Math.max(1, count) > first;
  if (hunks.some(isSeen)) return undefined;
  const below = hunks.filter(({ start }) => start > last).length;
  const above = hunks.length - below;
  if (below) return { count: below, side: "below", line: shortest(last - EDGE_LINES, last, first, lineAt) };
  if (above)
    return {
      count: above,
      side: "above",
      line: shortest(first + 1, Math.min(first + 1 + EDGE_LINES, last), first, lineAt),
    };
  return undefined;
}

/** Of the lines `from .. to` (end exclusive) the shortest, so that what stands behind it is not cut off. */
function shortest(from: number, to: number, first: number, lineAt: (line: number) => string): number {
  let best = Math.max(from, first);
  for (let line = best + 1; line < to; line++) if (lineAt(line).length < lineAt(best).length) best = line;
  return best;
}
