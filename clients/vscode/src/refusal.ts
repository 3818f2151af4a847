// Documents that editd has no way into, each with its answer.

import * as vscode from "vscode";
import { SELECTOR } from "./client";

/** One sentence where a document cannot be rewritten, undefined where it can. `isReadOnly`: its editor is. */
export async function refusal({ uri }: vscode.TextDocument, isReadOnly = false): Promise<string | undefined> {
  if (uri.scheme === "vscode-notebook-cell")
    return "A notebook's cells cannot be rewritten yet, but a copy of this one can.";
  const isKnown = SELECTOR.some(({ scheme }) => scheme === uri.scheme);
  if (isKnown && !isReadOnly && !(await isLocked(uri))) return undefined;
  return "This file is read-only, but a copy of it can be rewritten.";
}

/** Says `sentence`, which `refusal` gave, and opens a copy of the document if the user wants one: a file without a name. */
export async function offerCopy(document: vscode.TextDocument, sentence: string): Promise<void> {
  const open = "Open a Copy";
  if ((await vscode.window.showInformationMessage(`editd: ${sentence}`, open)) !== open) return;
  const copy = { content: document.getText(), language: document.languageId };
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(copy), { preview: false });
}

/** Whether the file may not be written to; false for one that is nowhere yet. */
async function isLocked(uri: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) return true;
  try {
    const { permissions = 0 } = await vscode.workspace.fs.stat(uri);
    return (permissions & vscode.FilePermission.Readonly) !== 0;
  } catch {
    return false;
  }
}
