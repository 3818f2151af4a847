// Which new line stands for which old line of a hunk, for display. Knows no editor.

import { similarity } from "./words";

/** One step through old and new lines: a pair, or a line that has no counterpart. */
export type Step =
  | { kind: "pair"; old: number; now: number }
  | { kind: "removed"; old: number }
  | { kind: "inserted"; now: number };

/** Share of text in common from which on a line counts as changed, not replaced. */
export const ALIKE = 0.45;
const MAX_PAIRS = 1_600; // comparisons; beyond them lines are taken in their order

/** The best alignment in which both sides keep their order; a worse one where there are many lines. */
export function pairLines(old: readonly string[], now: readonly string[], least = ALIKE): Step[] {
  if (old.length * now.length > MAX_PAIRS) return inOrder(old.length, now.length);
  const width = now.length + 1;
  const alike = old.map((a) => now.map((b) => similarity(a, b)));
  const best = new Float64Array((old.length + 1) * width); // [old + 1, now + 1]
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
      const pair = alike[i]![j]! >= least ? alike[i]![j]! + best[(i + 1) * width + j + 1]! : 0;
      best[i * width + j] = Math.max(skip, pair);
    }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < now.length) {
    const here = best[i * width + j]!;
    const score = alike[i]![j]!;
    if (score >= least && here === score + best[(i + 1) * width + j + 1]!)
      steps.push({ kind: "pair", old: i++, now: j++ });
    else if (here === best[(i + 1) * width + j]!) steps.push({ kind: "removed", old: i++ });
    else steps.push({ kind: "inserted", now: j++ });
  }
  while (i < old.length) steps.push({ kind: "removed", old: i++ });
  while (j < now.length) steps.push({ kind: "inserted", now: j++ });
  return steps;
}

function inOrder(old: number, now: number): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < old; i++) steps.push({ kind: "removed", old: i });
  for (let j = 0; j < now; j++) steps.push({ kind: "inserted", now: j });
  return steps;
}
