// What VS Code's diff editor does not show of a proposal: doubts and notes, and lines as they come in.

import * as vscode from "vscode";
import type { Edits, LiveHunk } from "./edit";
import { TYPES } from "./marks";
import { isProposal } from "./proposal-uri";
import type { PlacedHunk, ProposalView } from "./proposal-view";
import { debounced } from "./soon";

/** Keeps the proposals that can be seen painted. */
export function paintProposals(edits: Edits, proposals: ProposalView): vscode.Disposable {
  let coming = new Set<string>(); // hunks whose lines VS Code has not marked yet
  const paint = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      const hunks = proposals.hunksShown(editor.document);
      if (!hunks) continue;
      const last = editor.document.lineCount - 1;
      const mark = (type: vscode.TextEditorDecorationType, isIn: (hunk: LiveHunk) => boolean): void =>
        editor.setDecorations(
          type,
          hunks.filter(({ hunk }) => isIn(hunk)).map((placed) => linesOf(placed, last)),
        );
      mark(TYPES.suspect, (hunk) => hunk.state === "ok" && hunk.suspect !== undefined);
      mark(
        TYPES.noted,
        (hunk) => hunk.state === "ok" && !hunk.suspect && !!(hunk.note ?? hunk.noteSpans?.length),
      );
      mark(TYPES.dimmed, ({ isDimmed }) => isDimmed);
      mark(TYPES.stale, (hunk) => hunk.state === "stale");
      mark(TYPES.growing, (hunk) => hunk.state === "ok" && coming.has(nameOf(hunk)));
    }
  };
  const settle = debounced(() => {
    coming = new Set();
    paint();
  }, VSCODE_MARKS_AFTER_MS);
  return vscode.Disposable.from(
    settle,
    edits.onDidChange(paint),
    // The text of a proposal comes a moment after the change of the edit.
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!isProposal(document.uri)) return;
      for (const { hunk } of proposals.hunksIn(document.uri) ?? []) if (!hunk.done) coming.add(nameOf(hunk));
      paint();
      settle();
    }),
    vscode.window.onDidChangeVisibleTextEditors(paint),
  );
}

const VSCODE_MARKS_AFTER_MS = 600; // it begins to compare the texts when they have been at rest for 200

function nameOf({ live, id }: LiveHunk): string {
  return `${live.review.token} ${id}`;
}

function linesOf({ place: { start, count } }: PlacedHunk, last: number): vscode.Range {
  return new vscode.Range(Math.min(start, last), 0, Math.min(Math.max(start, start + count - 1), last), 0);
}
