// Accept and Reject above each hunk.

import * as vscode from "vscode";
import { settings } from "./config";
import type { Edits, LiveHunk } from "./edit";
import { soon } from "./soon";

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly edits: Edits) {
    const tellSoon = soon(() => this.changed.fire());
    this.subscription = vscode.Disposable.from(tellSoon, edits.onDidChange(tellSoon));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!settings().codeLens) return [];
    const hunks = this.edits.hunksOf(document.uri);
    const acceptable = hunks.filter((hunk) => hunk.state === "ok" && hunk.done && !hunk.suspect).length;
    return hunks.flatMap((hunk, index) => {
      const line = Math.min(hunk.start, document.lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      return commands(hunk, index === 0, acceptable).map((command) => new vscode.CodeLens(range, command));
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

/** An icon and words, which VS Code would put side by side without a space. */
function titled(icon: string, words: string): string {
  return `$(${icon})\u00a0${words}`;
}

/** `isFirst`: what concerns all hunks stands here. `all`: how many *Accept all* would accept. */
function commands(hunk: LiveHunk, isFirst: boolean, all: number): vscode.Command[] {
  const names = [hunk.live.review.token, hunk.id];
  const reject = { title: titled("close", "Reject"), command: "editd.rejectHunk", arguments: names };
  if (hunk.state === "stale")
    return [
      { title: titled("circle-slash", "The text under this hunk has changed"), command: "" },
      { ...reject, title: titled("close", "Dismiss") },
    ];
  if (!hunk.done) return [{ title: titled("loading~spin", "editd is writing…"), command: "" }];
  const accept = { title: titled("check", "Accept"), command: "editd.acceptHunk", arguments: names };
  const lenses: vscode.Command[] = [accept, reject];
  const noted = hunk.note ?? hunk.noteSpans?.[0]?.text;
  if (noted) lenses.push({ title: titled("info", noted), command: "editor.action.showHover" });
  if (hunk.suspect)
    lenses.unshift({
      title: titled("warning", hunk.suspect),
      command: "editor.action.showHover",
    });
  if (isFirst && all > 1)
    lenses.push(
      { title: titled("check-all", `Accept all ${all}`), command: "editd.acceptAll" },
      { title: titled("close-all", "Reject all"), command: "editd.rejectAll" },
    );
  const { answer } = hunk.live.review;
  if (isFirst && answer?.ways.length) {
    const only = answer.ways.length === 1 ? answer.ways[0]!.title : "Another way…";
    const { uri } = hunk.live.document;
    lenses.push({ title: titled("git-compare", only), command: "editd.anotherWay", arguments: [uri] });
  }
  return lenses;
}
