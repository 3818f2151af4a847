// Makes a replacement of whole lines as small as it can be, so that the cursor, breakpoints and
// bookmarks beside the real change stay where they are. Knows no editor.

import { splitLines } from "./lines";

/** Characters `start .. end` (of the text that is replaced) become `text`. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** The changes that turn `old` into `now`, in order. */
export function minimal(old: string, now: string): Replacement[] {
  const a = splitLines(old);
  const b = splitLines(now);
  if (a.length !== b.length) return trimmed(old, now, 0);
  const result: Replacement[] = [];
  let offset = 0;
  a.forEach((line, index) => {
    result.push(...trimmed(line, b[index]!, offset));
    offset += line.length;
  });
  return result;
}

function trimmed(old: string, now: string, offset: number): Replacement[] {
  if (old === now) return [];
  const limit = Math.min(old.length, now.length);
  let before = 0;
  while (before < limit && old[before] === now[before]) before++;
  if (splitsCharacter(old, before) || splitsCharacter(now, before)) before--;
  let after = 0;
  while (after < limit - before && old[old.length - 1 - after] === now[now.length - 1 - after]) after++;
  if (splitsCharacter(old, old.length - after) || splitsCharacter(now, now.length - after)) after--;
  return [
    {
      start: offset + before,
      end: offset + old.length - after,
      text: now.slice(before, now.length - after),
    },
  ];
}

/** Whether a cut at `index` would part a surrogate pair, or a CR from its LF. */
function splitsCharacter(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  const pair = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return pair || (before === 0x0d && after === 0x0a);
}
