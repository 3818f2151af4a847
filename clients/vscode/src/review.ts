// One edit as its client knows it: the hunks as the server told them, and which of them wait.
//
// The server does the thinking; this only keeps what it says, in the order in which it says it.
// Knows no editor.

import type { EditAnswer, EditDelta, EditRebased, EditToken, HunkState, WireHunk } from "./protocol";

export interface Hunk extends WireHunk {
  state: HunkState;
}

export type ReviewState = "running" | "ok" | "failed" | "cancelled";

export class Review {
  state: ReviewState = "running";
  /** Of the document in whose lines the hunks stand. */
  version: number | null;
  /** Old lines that the model has been through. */
  walked = 0;
  answer: EditAnswer | undefined;
  private readonly hunks = new Map<number, Hunk>();
  private seq = 0;
  private isDismissed = false;

  constructor(
    readonly token: EditToken,
    version: number,
  ) {
    this.version = version;
  }

  /** What became known; false if it is old news. */
  takeDelta(delta: EditDelta): boolean {
    if (delta.seq <= this.seq || this.state !== "running") return false;
    this.seq = delta.seq;
    this.version = delta.version;
    for (const op of delta.ops) {
      if ("hunk" in op) this.take(op.hunk);
    }
    this.walked = walkedTo(delta, this.walked);
    return true;
  }

  /** The document moved under the hunks, or an accept has arrived in it. */
  takeRebased(rebased: EditRebased): void {
    this.version = rebased.version;
    for (const { id, start, state } of rebased.hunks) {
      const hunk = this.hunks.get(id);
      if (hunk) this.hunks.set(id, { ...hunk, start, state });
    }
  }

  /** The edit has ended; its hunks are those of the answer and no others. */
  finish(answer: EditAnswer): void {
    this.answer = answer;
    this.state = answer.status;
    this.version = answer.version;
    const final = new Set(answer.hunks.map((hunk) => hunk.id));
    for (const [id, hunk] of this.hunks) if (!final.has(id) && !isDecided(hunk)) this.hunks.delete(id);
    answer.hunks.forEach((hunk) => this.take(hunk));
  }

  settle(ids: readonly number[], state: "accepted" | "rejected"): void {
    for (const id of ids) {
      const hunk = this.hunks.get(id);
      if (hunk) this.hunks.set(id, { ...hunk, state });
    }
  }

  /** Reject every hunk, those to come as well. */
  dismiss(): void {
    this.isDismissed = true;
    this.settle(
      [...this.hunks.keys()].filter((id) => !isDecided(this.hunks.get(id)!)),
      "rejected",
    );
  }

  /** Hunks to look at, in the order of the document: undecided ones, stale or still growing too. */
  open(): Hunk[] {
    return [...this.hunks.values()]
      .filter((hunk) => !isDecided(hunk))
      .sort((a, b) => a.start - b.start || a.id - b.id);
  }

  /** Hunks that can be accepted now. */
  pending(): Hunk[] {
    return this.open().filter((hunk) => hunk.state === "ok" && hunk.done);
  }

  count(state: HunkState): number {
    return [...this.hunks.values()].filter((hunk) => hunk.state === state).length;
  }

  /** Lines that the open hunks remove or insert. */
  changedLines(): number {
    return this.open().reduce((sum, hunk) => sum + Math.max(hunk.oldCount, hunk.newLines.length), 0);
  }

  private take(hunk: WireHunk): void {
    const known = this.hunks.get(hunk.id);
    if (known && isDecided(known)) return;
    const state = hunk.stale ? "stale" : "ok";
    this.hunks.set(hunk.id, { ...hunk, state: this.isDismissed ? "rejected" : state });
  }
}

/** Whether it ended without an answer to decide on. */
export function hasFailed({ state }: Review): boolean {
  return state === "failed" || state === "cancelled";
}

/** Lines that a hunk stands on. */
export type Stretch = Pick<Hunk, "start" | "oldCount">;

/** The hunk on `line`; one that only inserts stands on the line that it comes before. */
export function hunkAt<T extends Stretch>(hunks: readonly T[], line: number): T | undefined {
  return (
    hunks.find((hunk) => hunk.start <= line && line < hunk.start + hunk.oldCount) ??
    hunks.find((hunk) => hunk.oldCount === 0 && hunk.start === line)
  );
}

/** The next hunk after `line`, from the top again after the last. */
export function hunkAfter<T extends Stretch>(hunks: readonly T[], line: number): T | undefined {
  return hunks.find((hunk) => hunk.start > line) ?? hunks[0];
}

/** The hunk before the one on `line`, from the end again before the first. */
export function hunkBefore<T extends Stretch>(hunks: readonly T[], line: number): T | undefined {
  const here = hunkAt(hunks, line)?.start ?? line;
  return hunks.findLast((hunk) => hunk.start < here) ?? hunks.at(-1);
}

function isDecided(hunk: Hunk): boolean {
  return hunk.state === "accepted" || hunk.state === "rejected";
}

function walkedTo(delta: EditDelta, walked: number): number {
  let line = walked;
  for (const op of delta.ops) {
    if ("keep" in op) line += op.keep;
    else if (op.hunk.done) line = Math.max(line, op.hunk.start + op.hunk.oldCount);
  }
  return line;
}
