// Where the marks of a hunk go: struck-through text, text inserted in a line, lines beside it.
//
// VS Code has no room between two lines for an extension to write in. So a changed line shows its
// new words inside itself, and of lines that are new altogether their number stands at the end of the line
// that they replace or precede: the proposal shows them. Where there is to be none (`editd.preview`: inline),
// they stand in a box to the right of the old ones. Knows no editor; `preview.ts` paints the marks.

import { bare, expandTabs, visualWidth } from "./lines";
import { ALIKE, pairLines, type Step } from "./pairs";
import { diffWords } from "./words";

export type Mark =
  | { kind: "removedLine"; line: number }
  | { kind: "removedText"; line: number; from: number; to: number }
  | { kind: "insertedText"; line: number; at: number; text: string }
  /** New lines come in before `line`, or after it at the end of the document. */
  | { kind: "insertion"; line: number; side: "before" | "after" }
  /** `gap`: columns between the end of the line (as it is painted) and the box. */
  | { kind: "insertedLine"; line: number; gap: number; text: string };

export interface HunkText {
  start: number;
  oldCount: number;
  newLines: readonly string[];
  /** False while the model writes it; how many old lines it replaces is known at its end. */
  done?: boolean;
}

export interface Page {
  lineCount: number;
  tabSize: number;
  lineAt(line: number): string;
}

const ALIKE_WHILE_GROWING = 0.8; // a line that comes in may look like the one that it comes before
const BOX_GAP = 3; // least columns between a line and a box

/** The marks of one hunk. `limit`: the line, exclusive, down to which there is room for boxes; 0: no boxes. */
export function layOut(hunk: HunkText, page: Page, limit: number): Mark[] {
  const isGrowing = hunk.done === false;
  const oldCount = isGrowing
    ? Math.max(hunk.oldCount, Math.min(hunk.newLines.length, (limit || page.lineCount) - hunk.start))
    : hunk.oldCount;
  const old = range(oldCount).map((index) => page.lineAt(hunk.start + index));
  const now = hunk.newLines.map(bare);
  const marks: Mark[] = [];
  const boxes: { line: number; lines: string[] }[] = [];
  for (const run of runs(pairLines(old, now, isGrowing ? ALIKE_WHILE_GROWING : ALIKE))) {
    if (run.kind === "pair") {
      marks.push(...changedLine(hunk.start + run.old, old[run.old]!, now[run.now]!));
      continue;
    }
    if (!isGrowing)
      for (const index of run.removed) marks.push({ kind: "removedLine", line: hunk.start + index });
    if (!run.inserted.length) continue;
    const line = hunk.start + run.at;
    boxes.push({ line, lines: run.inserted.map((index) => now[index]!) });
    if (!run.removed.length) marks.push(insertion(line, page));
  }
  if (!limit) return [...marks, ...boxes.flatMap((box) => countMark(box, page, marks))];
  boxes.forEach((box, index) => {
    const room = Math.max(1, (boxes[index + 1]?.line ?? Math.max(limit, box.line + 1)) - box.line);
    marks.push(...boxMarks(box.line, box.lines, Math.min(room, page.lineCount - box.line), page, marks));
  });
  return marks;
}

/** A stretch without pairs begins before old line `at`. */
type Run =
  | { kind: "pair"; old: number; now: number }
  | { kind: "change"; at: number; removed: number[]; inserted: number[] };

function runs(steps: readonly Step[]): Run[] {
  const result: Run[] = [];
  let at = 0;
  for (const step of steps) {
    if (step.kind === "pair") {
      at = step.old + 1;
      result.push(step);
      continue;
    }
    let last = result.at(-1);
    if (last?.kind !== "change") {
      last = { kind: "change", at, removed: [], inserted: [] };
      result.push(last);
    }
    if (step.kind === "removed") {
      last.removed.push(step.old);
      at = step.old + 1;
    } else last.inserted.push(step.now);
  }
  return result;
}

function insertion(line: number, page: Page): Mark {
  return line < page.lineCount
    ? { kind: "insertion", line, side: "before" }
    : { kind: "insertion", line: page.lineCount - 1, side: "after" };
}

function changedLine(line: number, old: string, now: string): Mark[] {
  const marks: Mark[] = [];
  let column = 0;
  for (const { kind, text } of diffWords(old, now)) {
    if (kind === "inserted") {
      marks.push({ kind: "insertedText", line, at: column, text });
      continue;
    }
    if (kind === "removed") marks.push({ kind: "removedText", line, from: column, to: column + text.length });
    column += text.length;
  }
  return marks;
}

function boxMarks(
  first: number,
  lines: readonly string[],
  room: number,
  page: Page,
  marks: readonly Mark[],
): Mark[] {
  const line = Math.max(0, Math.min(first, page.lineCount - 1));
  const shown = lines.slice(0, Math.max(1, room)).map((text) => expandTabs(text, page.tabSize));
  const hidden = lines.slice(shown.length).join("").trim() ? lines.length - shown.length : 0;
  if (hidden > 0) shown.push(`${shown.pop()!}  … ${hidden} more`);
  const widths = shown.map((_, index) => paintedWidth(line + index, page, marks));
  const column = Math.max(...widths) + BOX_GAP;
  const inner = Math.max(...shown.map((text) => visualWidth(text, page.tabSize)));
  return shown.map((text, index) => ({
    kind: "insertedLine",
    line: line + index,
    gap: column - widths[index]!,
    text: text + " ".repeat(inner - visualWidth(text, page.tabSize)),
  }));
}

function countMark(
  { line: first, lines }: { line: number; lines: string[] },
  page: Page,
  marks: readonly Mark[],
): Mark[] {
  const text = lines.length === 1 ? "1 new line" : `${lines.length} new lines`;
  return boxMarks(first, [text], 1, page, marks);
}

function paintedWidth(line: number, page: Page, marks: readonly Mark[]): number {
  let width = visualWidth(page.lineAt(line), page.tabSize);
  for (const mark of marks)
    if (mark.kind === "insertedText" && mark.line === line) width += visualWidth(mark.text, page.tabSize);
  return width;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
