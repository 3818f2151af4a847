// Lines and how wide they look. Knows no editor.

/** The lines of a text, each with its end; only LF, CR LF and CR end a line. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g) ?? [];
}

/** A line without its end. */
export function bare(line: string): string {
  return line.replace(/(?:\r\n|\n|\r)$/, "");
}

/** Columns that a line takes on the screen, from column `from` on. */
export function visualWidth(line: string, tabSize: number, from = 0): number {
  let column = from;
  for (const character of line) {
    if (character === "\t") column += tabSize - (column % tabSize);
    else column += characterWidth(character.codePointAt(0)!);
  }
  return column - from;
}

/** `line` with tabs as spaces, as it looks when it begins at column 0. */
export function expandTabs(line: string, tabSize: number): string {
  let column = 0;
  let result = "";
  for (const character of line) {
    const width =
      character === "\t" ? tabSize - (column % tabSize) : characterWidth(character.codePointAt(0)!);
    result += character === "\t" ? " ".repeat(width) : character;
    column += width;
  }
  return result;
}

// East Asian wide characters and emoji, roughly: a column more or less only moves a ghost line.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

function characterWidth(code: number): number {
  if (code === 0x200d || (code >= 0x300 && code <= 0x36f) || (code >= 0xfe00 && code <= 0xfe0f)) return 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
