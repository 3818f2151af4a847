// A sketch before it is asked for: where its text comes from, and which file it is for.

import * as vscode from "vscode";
import { PROPOSAL_SCHEME } from "./proposal-uri";

/** What was copied; undefined, and a word to the user, where that is nothing. */
export async function copied(): Promise<string | undefined> {
  const text = await vscode.env.clipboard.readText();
  if (text.trim()) return text;
  void vscode.window.showInformationMessage(
    "editd: The clipboard holds no text. Copy the answer first, then apply it to this file.",
  );
  return undefined;
}

/** What is selected in an editor, or all that it shows. */
export function selected({ document, selection }: vscode.TextEditor): string {
  return document.getText(selection.isEmpty ? undefined : selection);
}

/** Asks which file the text of `source` is for, and shows that file. */
export async function target(source: vscode.TextDocument): Promise<vscode.TextDocument | undefined> {
  const others = openFiles().filter((uri) => uri.toString() !== source.uri.toString());
  const items: (vscode.QuickPickItem & { uri?: vscode.Uri })[] = others.map((uri) => ({
    label: uri.path.split("/").at(-1) ?? "",
    description: vscode.workspace.asRelativePath(uri),
    uri,
  }));
  const chosen = items.length
    ? await vscode.window.showQuickPick([...items, { label: "Another File…" }], {
        title: "editd: apply to",
        placeHolder: "Which file is this change for?",
        matchOnDescription: true,
      })
    : { uri: undefined };
  if (!chosen) return undefined;
  const uri = chosen.uri ?? (await vscode.window.showOpenDialog({ openLabel: "Apply to This File" }))?.[0];
  return uri && show(uri);
}

/** The file, where the user sees it: in the tab that it has, else in a new one. */
export async function show(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const seen = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  await vscode.window.showTextDocument(document, {
    preview: false,
    ...(seen?.viewColumn && { viewColumn: seen.viewColumn }),
  });
  return document;
}

/** Those in tabs, the ones that can be seen first. */
function openFiles(): vscode.Uri[] {
  const inTabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  const isFile = (uri: vscode.Uri): boolean =>
    uri.scheme !== PROPOSAL_SCHEME && inTabs.some((one) => one.toString() === uri.toString());
  const all = [...visible.filter(isFile), ...inTabs];
  return [...new Map(all.map((uri) => [uri.toString(), uri])).values()];
}
