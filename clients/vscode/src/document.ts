// A document as the parts that know no editor ask for it.

import type * as vscode from "vscode";

/** The lines of a document, each without its end; empty beyond the last. */
export function lineOf(document: vscode.TextDocument): (line: number) => string {
  return (line) => (line < document.lineCount ? document.lineAt(line).text : "");
}
