// Where the new text of a hunk came from, in words. Knows no editor.

import { bare } from "./lines";
import { code, escape } from "./markdown";
import type { WireHunk } from "./protocol";

type Told = Pick<WireHunk, "newLines" | "origins">;

const SAMPLES = 3;
const SAMPLE_LENGTH = 40;

const WORDS: Record<string, string> = {
  buffer: "copied from the buffer",
  substitution: "renamed as before",
  output: "written before in this edit",
  sketch: "from what was applied",
  project: "project file",
  "draft-model": "draft model",
  new: "new",
};

/**
 * One Markdown item a source, the largest first: its share of the hunk's characters (white space
 * aside) and what it gave. Empty where nothing is known. `link`: the address of a line, counted from
 * 1, in a file of the project.
 */
export function originsInWords(
  hunk: Told,
  link: (path: string, line: number) => string | undefined = () => undefined,
): string {
  const all = spans(hunk);
  const sources = new Set(all.map(key));
  return [...sources]
    .map((source) => all.filter((span) => key(span) === source))
    .sort((a, b) => size(b) - size(a))
    .map((some) => `- ${percent(size(some) / size(all))} ${described(some, link)}\n`)
    .join("");
}

interface Span {
  source: string;
  /** Of the project's file, and the line there; empty and 0 for other sources. */
  path: string;
  line: number;
  text: string;
  /** The whole word around a text that is a part of it. */
  word: string;
}

/** Neighbours of one source become one; white space by itself came from nowhere worth telling. */
function spans({ newLines, origins = [] }: Told): Span[] {
  const found: Span[] = [];
  let next = ""; // where the last one of `found` ends
  for (const { line, start, end, source, detail = "" } of origins) {
    const all = bare(newLines[line] ?? "");
    const text = all.slice(start, end);
    const [, path = "", number = 0] = /^(.+):(\d+)$/.exec(detail) ?? [];
    const last = found.at(-1);
    if (last && next === `${line}:${start}` && last.source === source && last.path === path)
      Object.assign(last, { text: last.text + text, word: wordAround(all, start - last.text.length, end) });
    else if (visible(text))
      found.push({ source, path, line: Number(number), text, word: wordAround(all, start, end) });
    else continue;
    next = `${line}:${end}`;
  }
  return found;
}

/** A rename is told of the part that changed, and a part of a name says nothing. */
function wordAround(line: string, start: number, end: number): string {
  const before = /[\p{L}\p{N}_]*$/u.exec(line.slice(0, start))![0];
  const after = /^[\p{L}\p{N}_]*/u.exec(line.slice(end))![0];
  return before + line.slice(start, end) + after;
}

function described(all: readonly Span[], link: (path: string, line: number) => string | undefined): string {
  const { source, path } = all[0]!;
  const words = escape(WORDS[source] ?? source);
  const place = path && ` ${placed(path, all, link)}`;
  // What the buffer had can be seen in the buffer.
  return source === "buffer" ? words : `${words}${place}: ${samples(all)}`;
}

function placed(
  path: string,
  all: readonly Span[],
  link: (path: string, line: number) => string | undefined,
): string {
  const lines = all.map(({ line }) => line);
  const [first, last] = [Math.min(...lines), Math.max(...lines)];
  const words = escape(`${path}:${first}${last > first ? `-${last}` : ""}`);
  const address = link(path, first);
  return address ? `[${words}](${address})` : words;
}

function samples(all: readonly Span[]): string {
  const texts = [
    ...new Set(all.map(({ source, text, word }) => (source === "substitution" ? word : text).trim())),
  ];
  const shown = texts.slice(0, SAMPLES).map((text) => code(shortened(text)));
  return [...shown, ...(texts.length > SAMPLES ? ["…"] : [])].join(", ");
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > SAMPLE_LENGTH ? `${characters.slice(0, SAMPLE_LENGTH - 1).join("")}…` : text;
}

function key({ source, path }: Span): string {
  return `${source} ${path}`;
}

/** Characters that are no white space. */
function size(all: readonly Span[]): number {
  return all.reduce((sum, { text }) => sum + visible(text), 0);
}

function visible(text: string): number {
  return text.replace(/\s/g, "").length;
}

/** A share that is there is never "0 %", and one that is not all is never "100 %". */
function percent(share: number): string {
  const rounded = Math.round(100 * share);
  if (rounded === 0) return "less than 1 %";
  return `${share < 1 ? Math.min(rounded, 99) : rounded} %`;
}
