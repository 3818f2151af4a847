// The proposal of an edit: its text with all hunks in it, and where each hunk stands there. Knows no editor.

import type { HunkText } from "./layout";
import { bare } from "./lines";
import { pairLines } from "./pairs";

/** Lines of the proposal that a hunk brings: `count` from `start` on; none where it only removes. */
export interface Place {
  start: number;
  count: number;
}

export interface Proposal {
  text: string;
  /** One for each hunk, in their order. */
  places: Place[];
}

/** `lines` (with their ends) with `hunks` (in order) put in. A stale one is left out; its place is where it stood. */
export function propose(
  lines: readonly string[],
  hunks: readonly (HunkText & { state: string })[],
): Proposal {
  const parts: string[] = [];
  const places: Place[] = [];
  let at = 0; // in `lines`
  const put = (some: readonly string[]): void => some.forEach((line) => parts.push(line));
  for (const hunk of hunks) {
    put(lines.slice(at, hunk.start));
    at = Math.max(at, hunk.start);
    const isIn = hunk.state === "ok";
    places.push({ start: parts.length, count: isIn ? hunk.newLines.length : 0 });
    if (!isIn) continue;
    put(hunk.newLines);
    at = hunk.start + replacedLines(hunk, (line) => bare(lines[line] ?? ""));
  }
  put(lines.slice(at));
  return { text: parts.join(""), places };
}

/** The number of the hunk on `line` of the proposal, -1 where there is none. */
export function placeAt(places: readonly Place[], line: number): number {
  const at = places.findIndex(({ start, count }) => start <= line && line < start + count);
  return at >= 0 ? at : places.findIndex(({ start, count }) => !count && start === line);
}

/**
 * Whether a hunk adds, removes or re-indents whole lines.
 *
 * False for one whose every new line is the old line in its place with other words in it. `lineAt`: a line
 * of the document without its end; empty beyond the last.
 */
export function needsRoom(hunk: HunkText, lineAt: (line: number) => string): boolean {
  const now = hunk.newLines.map(bare);
  if (hunk.done !== false && hunk.oldCount !== now.length) return true;
  const old = now.map((_, index) => lineAt(hunk.start + index));
  return pairLines(old, now).some(
    (step) => step.kind !== "pair" || indentation(old[step.old]!) !== indentation(now[step.now]!),
  );
}

/**
 * How many old lines a hunk replaces. Of a growing one this is not known: as many as it has new ones if they
 * resemble each other, so that they do not stand there twice, else none.
 */
function replacedLines(hunk: HunkText, lineAt: (line: number) => string): number {
  if (hunk.done !== false) return hunk.oldCount;
  return needsRoom(hunk, lineAt) ? hunk.oldCount : hunk.newLines.length;
}

function indentation(line: string): string {
  return /^\s*/.exec(line)![0];
}
