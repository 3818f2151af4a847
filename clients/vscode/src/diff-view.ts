// An edit side by side: the document, and what it would be with all hunks accepted.

import * as vscode from "vscode";
import { settings } from "./config";
import { PREVIEW_SCHEME, type Edits, type LiveEdit } from "./edit";
import { applied } from "./applied";
import { splitLines } from "./lines";

export class DiffView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly opened = new Set<LiveEdit>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;

  constructor(private readonly edits: Edits) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
      edits.onDidChange((document) => this.update(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.update(document)),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const live = this.edits.get(uri.query);
    if (!live) return "";
    const { document, review } = live;
    const hunks = review.version === document.version ? review.open() : [];
    return applied(
      splitLines(document.getText()),
      hunks.filter((hunk) => hunk.state === "ok"),
    );
  }

  async open(live: LiveEdit): Promise<void> {
    this.opened.add(live);
    const { document } = live;
    const name = document.uri.path.split("/").at(-1) ?? "";
    await vscode.commands.executeCommand("vscode.diff", document.uri, uriOf(live), `${name} (editd)`, {
      preview: true,
      preserveFocus: true,
    });
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.changed.dispose();
  }

  private update(document: vscode.TextDocument): void {
    for (const live of this.edits.of(document.uri)) {
      if (this.opened.has(live)) this.changed.fire(uriOf(live));
      else if (isLarge(live)) void this.open(live);
    }
    for (const live of this.opened)
      if (!this.edits.get(live.review.token)) {
        this.opened.delete(live);
        void close(live);
      }
  }
}

function uriOf({ document, review }: LiveEdit): vscode.Uri {
  return document.uri.with({ scheme: PREVIEW_SCHEME, query: String(review.token), fragment: "" });
}

function isLarge({ review }: LiveEdit): boolean {
  const { preview, previewLargeLines } = settings();
  if (preview === "inline" || !review.open().length) return false;
  return preview === "diff" || review.changedLines() >= previewLargeLines;
}

/** Everything is decided: there is nothing left to compare. */
async function close(live: LiveEdit): Promise<void> {
  const uri = uriOf(live).toString();
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.toString() === uri);
  if (tabs.length) await vscode.window.tabGroups.close(tabs);
}
