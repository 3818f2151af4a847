// What stands above each hunk, in the document and in its proposal: what can be done, and with which key.

import * as vscode from "vscode";
import { settings } from "./config";
import { lineOf } from "./document";
import type { Edits, LiveHunk } from "./edit";
import { keyOf, type BoundCommand } from "./keys";
import { needsRoom } from "./proposal";
import { isProposal } from "./proposal-uri";
import type { ProposalView } from "./proposal-view";
import { soon } from "./soon";

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly edits: Edits,
    private readonly proposals: ProposalView,
  ) {
    const tellSoon = soon(() => this.changed.fire());
    this.subscription = vscode.Disposable.from(
      tellSoon,
      edits.onDidChange(tellSoon),
      // The text of a proposal comes a moment after the change of the edit.
      vscode.workspace.onDidChangeTextDocument(({ document }) => isProposal(document.uri) && tellSoon()),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!settings().codeLens) return [];
    const placed = this.proposals.hunksIn(document.uri);
    // Someone has turned lenses off in this language's diffs; VS Code would leave stale ones there.
    if (placed && !vscode.workspace.getConfiguration("diffEditor", document).get("codeLens")) return [];
    const hunks =
      placed?.map(({ hunk, place }) => ({ hunk, line: place.start })) ??
      this.edits.hunksOf(document.uri).map((hunk) => ({ hunk, line: hunk.start }));
    const all = hunks.filter(
      ({ hunk }) => hunk.state === "ok" && hunk.done && !hunk.suspect && !hunk.isDimmed,
    ).length;
    return hunks.flatMap(({ hunk, line }, index) => {
      const at = Math.min(line, document.lineCount - 1);
      const range = new vscode.Range(at, 0, at, 0);
      const proposal = placed ? [] : this.proposal(hunk);
      const place = placed ? "proposal" : proposal.length ? "before" : "document";
      const lenses = [...proposal, ...commands(hunk, index === 0, all, place)];
      return lenses.map((command) => new vscode.CodeLens(range, command));
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  /** The way to the lines that have no room in the document. */
  private proposal(hunk: LiveHunk): vscode.Command[] {
    if (settings().preview === "inline" || hunk.state !== "ok" || hunk.isDimmed) return [];
    if (!needsRoom(hunk, lineOf(hunk.live.document))) return [];
    return [lens("diff", "Show", "editd.openDiff")];
  }
}

/** An icon, words, and the key of the command; VS Code would put icon and words side by side without a space. */
function lens(icon: string, words: string, command: BoundCommand): vscode.Command {
  return { title: titled(icon, `${words} ${keyOf(command)}`), command };
}

function titled(icon: string, words: string): string {
  return `$(${icon})\u00a0${words}`;
}

/**
 * `isFirst`: what concerns all hunks stands here. `all`: how many *Accept All Hunks* would accept. `place`: in the proposal the
 * key of *Refine* is not that of *Rewrite*; in a document whose proposal is one key away, what has no key stands there alone.
 * In a narrow window the last ones are cut off.
 */
function commands(
  hunk: LiveHunk,
  isFirst: boolean,
  all: number,
  place: "document" | "before" | "proposal",
): vscode.Command[] {
  const names = [hunk.live.review.token, hunk.id];
  if (hunk.state === "stale")
    return [
      { title: titled("circle-slash", "The text under this hunk has changed"), command: "" },
      { title: titled("close", "Dismiss"), command: "editd.rejectHunk", arguments: names },
    ];
  if (hunk.isDimmed) return [{ title: titled("loading~spin", "editd is refining this…"), command: "" }];
  if (!hunk.done) return [{ title: titled("loading~spin", "editd is writing…"), command: "" }];
  const lenses: vscode.Command[] = [
    { ...lens("check", "Accept", "editd.acceptHunk"), arguments: names },
    { ...lens("close", "Reject", "editd.rejectHunk"), arguments: names },
  ];
  if (hunk.suspect)
    lenses.unshift({
      title: titled("warning", hunk.suspect),
      command: "editor.action.showHover",
    });
  if (isFirst && all > 1) lenses.push(lens("check-all", `Accept ${all}`, "editd.acceptAll"));
  if (isFirst && hunk.live.review.state === "ok")
    lenses.push(
      place === "proposal"
        ? lens("edit", "Refine…", "editd.refine")
        : { title: titled("edit", "Refine…"), command: "editd.refine" },
    );
  const hasRest = isFirst && place !== "before";
  if (hasRest && all > 1)
    lenses.push({ title: titled("close-all", "Reject all"), command: "editd.rejectAll" });
  const { answer } = hunk.live.review;
  if (hasRest && answer?.ways.length) {
    const only = answer.ways.length === 1 ? answer.ways[0]!.title : "Another way…";
    const { uri } = hunk.live.document;
    lenses.push({ title: titled("git-compare", only), command: "editd.anotherWay", arguments: [uri] });
  }
  const noted = hunk.note ?? hunk.noteSpans?.[0]?.text;
  if (noted) lenses.push({ title: titled("info", noted), command: "editor.action.showHover" });
  return lenses;
}
