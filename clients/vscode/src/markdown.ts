// Text from elsewhere inside Markdown.

/** `text` so that Markdown shows it as it is. */
export function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, "\\$&").replace(/\s+/g, " ");
}

/** `text`, which has no line end, as code. */
export function code(text: string): string {
  const fence = "`".repeat(1 + Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length)));
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}
