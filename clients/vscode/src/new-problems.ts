// Which problems an accepted change brought. Knows no editor.

import { overlap, type Lines } from "./track";

export interface Problem {
  message: string;
  source: string;
  lines: Lines;
}

/** A replaced range, and the text that replaces it. */
export interface Replaced {
  range: { start: { line: number }; end: { line: number } };
  newText: string;
}

/** The lines that the new texts have once all `edits` are made. */
export function changedLines(edits: readonly Replaced[]): Lines[] {
  let moved = 0;
  return [...edits]
    .sort((a, b) => a.range.start.line - b.range.start.line)
    .map(({ range, newText }) => {
      const count = newText.split("\n").length - 1;
      const start = range.start.line + moved;
      moved += count - (range.end.line - range.start.line);
      return { start, end: start + Math.max(count, 1) };
    });
}

/** The first problem of `now` in `lines` that was not known before, wherever it stood. */
export function newProblem(
  known: readonly Problem[],
  now: readonly Problem[],
  lines: readonly Lines[],
): Problem | undefined {
  const left = known.map(words);
  return now.find((problem) => {
    const at = left.indexOf(words(problem));
    if (at >= 0) left.splice(at, 1);
    return at < 0 && lines.some((changed) => overlap(changed, problem.lines));
  });
}

/** The problem in one sentence. */
export function words({ message, source }: Problem): string {
  return source ? `${source}: ${message}` : message;
}
