// A text with hunks applied, for display. Knows no editor.

import type { HunkText } from "./layout";

/** `hunks` in the order of the text; `lines` with their ends. */
export function applied(lines: readonly string[], hunks: readonly HunkText[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    parts.push(...lines.slice(at, hunk.start), ...hunk.newLines);
    at = hunk.start + hunk.oldCount;
  }
  parts.push(...lines.slice(at));
  return parts.join("");
}
