// Where no hunk can be seen: a dim text at the edge of the editor, which says how many there are and the key.

import * as vscode from "vscode";
import { lineOf } from "./document";
import type { Edits } from "./edit";
import { elsewhere, type Beyond } from "./elsewhere";
import { keyOf } from "./keys";
import type { ProposalView } from "./proposal-view";
import { soon } from "./soon";

export class Edges implements vscode.Disposable {
  private readonly type = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor("editorCodeLens.foreground"),
      backgroundColor: new vscode.ThemeColor("editorWidget.background"),
      margin: "0 0 0 3ch",
    },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly painted = new WeakSet<vscode.TextEditor>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly edits: Edits,
    private readonly proposals: ProposalView,
  ) {
    const paintAll = soon(() => vscode.window.visibleTextEditors.forEach((editor) => this.paint(editor)));
    this.subscription = vscode.Disposable.from(
      this.type,
      paintAll,
      edits.onDidChange(paintAll),
      vscode.window.onDidChangeTextEditorVisibleRanges(paintAll),
      vscode.window.onDidChangeVisibleTextEditors(paintAll),
      vscode.workspace.onDidChangeTextDocument(paintAll),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private paint(editor: vscode.TextEditor): void {
    const beyond = this.beyond(editor);
    if (!beyond && !this.painted.has(editor)) return;
    this.painted.add(editor);
    editor.setDecorations(this.type, beyond ? [decoration(editor, beyond)] : []);
  }

  private beyond({ document, visibleRanges }: vscode.TextEditor): Beyond | undefined {
    const first = visibleRanges[0]?.start.line ?? 0;
    const last = visibleRanges.at(-1)?.end.line ?? 0;
    const placed = this.proposals.hunksIn(document.uri);
    const stretches =
      placed?.map(({ place }) => place) ??
      this.edits.hunksOf(document.uri).map(({ start, oldCount }) => ({ start, count: oldCount }));
    return elsewhere(stretches, first, last, lineOf(document));
  }
}

function decoration(editor: vscode.TextEditor, { count, side, line }: Beyond): vscode.DecorationOptions {
  const end = editor.document.lineAt(line).range.end;
  const key = keyOf(side === "below" ? "editd.nextHunk" : "editd.previousHunk");
  const arrow = side === "below" ? "↓" : "↑";
  const text = ` ${arrow} ${count} ${count === 1 ? "hunk" : "hunks"} ${side} ${key} `;
  return {
    range: new vscode.Range(end, end),
    renderOptions: { after: { contentText: text.replaceAll(" ", "\u00a0") } },
  };
}
