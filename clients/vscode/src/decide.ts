// Accept, reject, next, previous: what the user does with hunks.
//
// The server computes the change, and it is put into the editor here, because only an editor can
// say that it is one undo step. The server sees it arrive and then counts the hunks as accepted.

import * as vscode from "vscode";
import type { TextEdit, WorkspaceEdit } from "vscode-languageclient";
import type { Client } from "./client";
import type { Edits, LiveEdit, LiveHunk } from "./edit";
import { minimal } from "./minimal";
import type { Problems } from "./problems";
import * as protocol from "./protocol";
import { isProposal } from "./proposal-uri";
import { revealHigh, type ProposalView } from "./proposal-view";
import { hunkAfter, hunkAt, hunkBefore, type Stretch } from "./review";

const ATTEMPTS = 5; // each is answered anew, where the user typed while the server answered

export class Decisions {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly edits: Edits,
    private readonly client: Client,
    private readonly proposals: ProposalView,
    private readonly problems: Problems,
  ) {}

  /** The hunk named by a lens or, from a key, the one at the cursor. */
  acceptHunk(token?: protocol.EditToken, id?: number): Promise<void> {
    return this.inOrder(async () => {
      const hunk = token === undefined ? this.atCursor() : this.named(token, id);
      if (!hunk) return;
      await this.accept(hunk.live, [hunk.id]);
      await this.goOn();
    });
  }

  rejectHunk(token?: protocol.EditToken, id?: number): Promise<void> {
    return this.inOrder(async () => {
      const hunk = token === undefined ? this.atCursor() : this.named(token, id);
      if (!hunk) return;
      await this.reject(hunk.live, [hunk.id]);
      await this.goOn();
    });
  }

  acceptAll(): Promise<void> {
    return this.inOrder(async () => {
      for (const live of this.decidable()) await this.accept(live, "all");
    });
  }

  rejectAll(): Promise<void> {
    return this.inOrder(async () => {
      for (const live of this.decidable())
        await this.reject(live, live.successor ? live.review.open().map(({ id }) => id) : "all");
    });
  }

  go(direction: "next" | "previous"): Promise<void> {
    return this.inOrder(() => this.move(direction));
  }

  /**
   * One decision at a time, because an accept moves the hunks that the next one is about; and none while a proposal
   * opens: a key that is pressed meanwhile is about the hunk that this shows first.
   */
  private inOrder(step: () => void | Promise<void>): Promise<void> {
    const result = this.last.then(() => this.proposals.opened()).then(step);
    this.last = result.catch(() => {});
    return result;
  }

  private move(direction: "next" | "previous"): void {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    const hunks = this.shownIn(editor);
    const line = editor.selection.active.line;
    const hunk = direction === "next" ? hunkAfter(hunks, line) : hunkBefore(hunks, line);
    if (hunk) reveal(editor, hunk, isProposal(editor.document.uri));
  }

  /** Where `editor` shows hunks: in a proposal, at the lines that they bring. */
  private shownIn(editor: vscode.TextEditor): Stretch[] {
    const placed = this.proposals.hunksIn(editor.document.uri);
    return placed
      ? placed.map(({ place }) => ({ start: place.start, oldCount: place.count }))
      : this.edits.hunksOf(editor.document.uri);
  }

  /** In a proposal a decision leads to the next hunk; in the document the cursor stays where it is. */
  private async goOn(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isProposal(editor.document.uri)) return;
    await this.proposals.arrived(editor.document);
    if (!this.atLine(editor)) this.move("next");
  }

  private async accept(live: LiveEdit, hunkIds: protocol.HunkIds): Promise<void> {
    const { review, document } = live;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = await this.client.request<protocol.AcceptAnswer>(protocol.ACCEPT, {
        editToken: review.token,
        hunkIds,
        apply: false,
      });
      if (!answer.edit) {
        tellLeftOut(answer);
        return;
      }
      if (answer.version !== document.version) continue;
      const edits = textEdits(answer.edit);
      const changed = this.problems.before(document);
      if (!(await this.edits.accepting(document, () => apply(document, edits)))) continue;
      changed(edits);
      review.settle(answer.hunkIds, "accepted");
      this.edits.settled(live);
      tellLeftOut(answer);
      return;
    }
    void vscode.window.showWarningMessage("The document kept changing; try again.");
  }

  private async reject(live: LiveEdit, hunkIds: protocol.HunkIds): Promise<void> {
    const { review } = live;
    if (hunkIds === "all") {
      this.edits.dismiss(live);
      return;
    }
    if (!live.successor) {
      review.settle(hunkIds, "rejected");
      this.edits.settled(live);
    }
    const params: protocol.RejectParams = { editToken: review.token, hunkIds };
    const answer = await this.client.request<protocol.RejectAnswer>(protocol.REJECT, params);
    if (answer.message) tell(answer.message);
  }

  private named(token: protocol.EditToken, id: number | undefined): LiveHunk | undefined {
    const live = this.edits.get(token);
    const hunk = live?.review.open().find((candidate) => candidate.id === id);
    if (!live || !hunk || live.successor) return undefined;
    return { ...hunk, live, isDimmed: false };
  }

  /** The hunk at the cursor; where there is none, goes to the next one, so that it is seen first. */
  private atCursor(): LiveHunk | undefined {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const hunk = this.atLine(editor);
    if (!hunk) this.move("next");
    return hunk;
  }

  private atLine({ document: { uri }, selection }: vscode.TextEditor): LiveHunk | undefined {
    const { line } = selection.active;
    return isProposal(uri) ? this.proposals.hunkAt(uri, line) : hunkAt(this.edits.hunksOf(uri), line);
  }

  /** The edits of the active editor's document that have hunks to decide on, or else those being refined: the server says so. */
  private decidable(): LiveEdit[] {
    const document = this.edits.here();
    const hunks = document ? this.edits.hunksOf(document.uri) : [];
    const decidable = hunks.filter(({ isDimmed }) => !isDimmed);
    return [...new Set((decidable.length ? decidable : hunks).map(({ live }) => live))];
  }
}

/** One undo step, and the cursor stays where it is. False if the document has changed meanwhile. */
async function apply(document: vscode.TextDocument, edits: readonly TextEdit[]): Promise<boolean> {
  const { version } = document;
  const changes = edits.flatMap((edit) => smallest(document, edit));
  if (!changes.length) return true;
  const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  const editor =
    editors.find((candidate) => candidate === vscode.window.activeTextEditor) ??
    editors.find((candidate) => candidate.viewColumn !== undefined);
  if (editor) {
    const done = await editor
      .edit((builder) => changes.forEach(({ range, text }) => builder.replace(range, text)), {
        undoStopBefore: true,
        undoStopAfter: true,
      })
      .then(
        (isDone) => isDone,
        () => false, // its page has closed meanwhile, as when a proposal opens in its place
      );
    if (done || document.version !== version) return done;
  }
  // It is not visible, or its editor takes no edits.
  const edit = new vscode.WorkspaceEdit();
  changes.forEach(({ range, text }) => edit.replace(document.uri, range, text));
  return vscode.workspace.applyEdit(edit);
}

function smallest(document: vscode.TextDocument, edit: TextEdit): { range: vscode.Range; text: string }[] {
  const { start, end } = edit.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const offset = document.offsetAt(range.start);
  return minimal(document.getText(range), edit.newText).map((part) => ({
    range: new vscode.Range(document.positionAt(offset + part.start), document.positionAt(offset + part.end)),
    text: part.text,
  }));
}

function textEdits(edit: WorkspaceEdit): TextEdit[] {
  const changes = edit.documentChanges ?? [];
  return changes.flatMap((change) => ("edits" in change ? (change.edits as TextEdit[]) : []));
}

function tellLeftOut(answer: protocol.AcceptAnswer): void {
  const [first, ...others] = answer.leftOut;
  if (!first) {
    if (answer.message) tell(answer.message);
    return;
  }
  const what = others.length ? `${answer.leftOut.length} hunks were` : "A hunk was";
  void vscode.window.showWarningMessage(`${what} left out. ${first.reason}`);
}

function tell(sentence: string): void {
  void vscode.window.showInformationMessage(`editd: ${sentence}`);
}

/** `isHigh`: old lines, which are no lines of this editor, stand above the hunk. */
function reveal(editor: vscode.TextEditor, hunk: Stretch, isHigh: boolean): void {
  const line = Math.min(hunk.start, editor.document.lineCount - 1);
  const column = editor.document.lineAt(line).firstNonWhitespaceCharacterIndex;
  const position = new vscode.Position(line, column);
  editor.selection = new vscode.Selection(position, position);
  const isSeen = ({ start, end }: vscode.Range): boolean =>
    start.line < line && line + hunk.oldCount < end.line;
  if (isHigh) {
    if (!editor.visibleRanges.some(isSeen)) revealHigh(editor, line);
    return;
  }
  editor.revealRange(
    new vscode.Range(line, 0, line + hunk.oldCount, 0),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}
