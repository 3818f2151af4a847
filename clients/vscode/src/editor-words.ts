// The server's sentences, which name what a terminal has, in the words of this editor. Knows no editor.

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\s*\(--[a-z-]+\)/g, ""], // "fewer lines (--range)"
  [/(?:choose|name) (a|another)( larger)? model with --model/gi, "choose $1$2 model with Choose Model…"],
  [/`editd models(?: list)?`/g, "Choose Model…"],
  [/`editd logs`/g, "Show Log"],
  [/`editd config set [^`]*`/g, "the settings"],
];

/** `sentence` with commands and buttons in the place of flags and command lines that have one. */
export function editorWords(sentence: string): string {
  return WORDS.reduce((words, [pattern, instead]) => words.replace(pattern, instead), sentence);
}

/** Whether the way on is another model. */
export function isAboutModel(sentence: string): boolean {
  return /--model\b|`editd models/.test(sentence);
}
