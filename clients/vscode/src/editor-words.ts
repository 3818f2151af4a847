// The server's sentences are in the words of this editor: which button they name. Knows no editor.

export const CHOOSE_MODEL = "Choose Model…";

/** Whether the way on is another model. */
export function isAboutModel(sentence: string): boolean {
  return sentence.includes(CHOOSE_MODEL);
}
