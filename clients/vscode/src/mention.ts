// The `@…` at the end of an instruction that is being typed. Knows no editor.

import type { MentionEntry } from "./protocol";

export interface Mention {
  /** What stands before its `@`. */
  before: string;
  /** What is typed after the `@` so far. */
  prefix: string;
}

/** The mention that `typed` ends with; undefined if it ends with none. */
export function mentionAtEnd(typed: string): Mention | undefined {
  const found = /(?<![\w./])@("[^"]*|[^\s@"]*)$/.exec(typed);
  return found ? { before: typed.slice(0, found.index), prefix: found[1]! } : undefined;
}

/** The names worth offering; none once one of them is typed in full. */
export function offers({ prefix }: Mention, names: readonly MentionEntry[]): readonly MentionEntry[] {
  return names.some(({ name }) => name === prefix) ? [] : names;
}

/** The instruction with the mention completed, ready for the next word. */
export function completed({ before }: Mention, name: string): string {
  return `${before}@${name} `;
}
