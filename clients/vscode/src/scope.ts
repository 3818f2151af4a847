// What an edit is about, for those that follow it: the block of lines around its hunks. Knows no editor.

import type { Lines } from "./track";

/**
 * The lines of `hunks` and of the block around them: up to the line that is indented less than all of them, down
 * to the last one that is indented more than that. Hunks at the left edge have no such block.
 *
 * Undefined without hunks.
 */
export function scopeOf(
  hunks: readonly { start: number; oldCount: number }[],
  lineCount: number,
  lineAt: (line: number) => string,
): Lines | undefined {
  if (!hunks.length || !lineCount) return undefined;
  let start = Math.min(Math.min(...hunks.map((hunk) => hunk.start)), lineCount - 1);
  let end = Math.min(Math.max(...hunks.map((hunk) => hunk.start + Math.max(1, hunk.oldCount))), lineCount);
  const inner = Array.from({ length: end - start }, (_, index) => start + index).filter((line) =>
    lineAt(line).trim(),
  );
  const depth = Math.min(...inner.map((line) => indentation(lineAt(line))));
  if (depth === 0 || !inner.length) return { start, end };
  const isOutside = (line: number, least: number): boolean =>
    lineAt(line).trim() !== "" && indentation(lineAt(line)) < least;
  while (start > 0 && !isOutside(start, depth)) start--;
  const head = indentation(lineAt(start)) + 1;
  while (end < lineCount && !isOutside(end, head)) end++;
  while (end > start + 1 && !lineAt(end - 1).trim()) end--;
  return { start, end };
}

function indentation(line: string): number {
  return /^\s*/.exec(line)![0].length;
}
