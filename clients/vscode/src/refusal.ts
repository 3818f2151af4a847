// Documents that editd has no way into, each with its answer.

import * as vscode from "vscode";
import { SELECTOR } from "./client";

/** One sentence where a document cannot be rewritten, undefined where it can. `isReadOnly`: its editor is. */
export async function refusal({ uri }: vscode.TextDocument, isReadOnly = false): Promise<string | undefined> {
  if (uri.scheme === "vscode-notebook-cell")
    return "A notebook's cells cannot be rewritten yet. Copy the cell into a file (*File: New Untitled Text File* will do).";
  const isKnown = SELECTOR.some(({ scheme }) => scheme === uri.scheme);
  if (isKnown && !isReadOnly && !(await isLocked(uri))) return undefined;
  return "This file is read-only, so there is no place for the change. Copy its text into a file of your own first.";
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
