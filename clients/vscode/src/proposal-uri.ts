// The address of a document's proposal, which decides under which language VS Code shows it.
//
// The language stands in the path, because an untitled file and a notebook's cell have one too. It is one
// of the languages that package.json adds (languages.mjs), whose settings concern proposals alone.

import * as vscode from "vscode";

export const PROPOSAL_SCHEME = "editd-preview";
const PREFIX = "editd-";

export function proposalUri(document: vscode.TextDocument): vscode.Uri {
  const id = languages().has(PREFIX + document.languageId) ? document.languageId : "plaintext";
  return vscode.Uri.from({
    scheme: PROPOSAL_SCHEME,
    path: `/editd-proposal/${id}/${nameOf(document)}`,
    query: document.uri.toString(),
  });
}

export function isProposal(uri: vscode.Uri): boolean {
  return uri.scheme === PROPOSAL_SCHEME;
}

/** The document whose proposal `uri` is; undefined for other addresses, and once that document is closed. */
export function proposedDocument(uri: vscode.Uri | undefined): vscode.TextDocument | undefined {
  if (!uri || !isProposal(uri)) return undefined;
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.query);
}

/** What people call it: the file's name. */
export function nameOf({ uri }: vscode.TextDocument): string {
  const name = uri.path.split("/").at(-1) || "text";
  // VS Code offers to open whatever is called so as a notebook.
  return uri.scheme === "vscode-notebook-cell" ? `${name.replace(/\.ipynb$/, "")} cell` : name;
}

function languages(): Set<string> {
  const manifest = vscode.extensions.getExtension("editd.editd")?.packageJSON;
  return new Set(manifest?.contributes.languages.map(({ id }: { id: string }) => id));
}
