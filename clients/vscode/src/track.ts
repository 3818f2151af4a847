// Keeps a stretch of lines in its place while the document around it changes. Knows no editor.

/** `start .. end`, end exclusive. */
export interface Lines {
  start: number;
  end: number;
}

/** Lines `start .. end` (end inclusive, as a range says it) were replaced by text with `newLines` line ends. */
export interface LineChange {
  start: number;
  end: number;
  newLines: number;
}

export function shifted(lines: Lines, change: LineChange): Lines {
  const grown = change.newLines - (change.end - change.start);
  if (change.end < lines.start) return { start: lines.start + grown, end: lines.end + grown };
  if (change.start >= lines.end) return lines;
  return {
    start: Math.min(lines.start, change.start),
    end: Math.max(lines.end + grown, Math.min(lines.start, change.start) + 1),
  };
}

export function overlap(a: Lines, b: Lines): boolean {
  return a.start < Math.max(b.end, b.start + 1) && b.start < Math.max(a.end, a.start + 1);
}
