// Text from elsewhere inside Markdown.

/** `text` so that Markdown shows it as it is. */
export function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, "\\$&").replace(/\s+/g, " ");
}
