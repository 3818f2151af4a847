// Proposals in VS Code's own diff editor: opens it where lines need room, keeps it up to date, ends it.
//
// The left side is the document itself, the right side its proposal (`proposal.ts`), which nobody can type in.
// Only an edit asked for in the editor that the user is still in opens one, and only if nothing was typed since.

import * as vscode from "vscode";
import { settings } from "./config";
import type { Edits, LiveEdit, LiveHunk } from "./edit";
import { lineOf } from "./document";
import { splitLines } from "./lines";
import { needsRoom, placeAt, propose, type Place } from "./proposal";
import { isProposal, nameOf, PROPOSAL_SCHEME, proposalUri } from "./proposal-uri";
import { eventually } from "./soon";

const MAX_WAIT_MS = 1000;
const MAX_BEHIND = 20; // texts by which an editor may be late: one comes every 30 ms, if at all

/** A hunk, and where it stands in the proposal. */
export interface PlacedHunk {
  hunk: LiveHunk;
  place: Place;
}

/** One document's proposal. */
interface Shown {
  readonly document: vscode.TextDocument;
  readonly uri: vscode.Uri;
  /** Where the document was, and comes back to. */
  readonly column: vscode.ViewColumn | undefined;
  text: string;
  hunks: readonly PlacedHunk[];
  /** Texts that its editor may have, the latest last, each with its hunks. */
  versions: { text: string; hunks: readonly PlacedHunk[] }[];
}

export class ProposalView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly textChanged = new vscode.EventEmitter<vscode.Uri>();
  private readonly shown = new Map<string, Shown>(); // by the document's address
  private readonly offered = new WeakSet<LiveEdit>(); // was opened once: what the user closes stays closed
  private readonly openingChanged = new vscode.EventEmitter<void>();
  private current: { document: vscode.TextDocument; isOpen: Promise<void> } | undefined;
  private readonly subscriptions: vscode.Disposable[];

  /** The text of a proposal has to be read again. */
  readonly onDidChange = this.textChanged.event;
  /** A proposal begins to open, or has opened. */
  readonly onDidChangeOpening = this.openingChanged.event;

  constructor(private readonly edits: Edits) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, this),
      edits.onDidChange((document) => this.update(document)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.forget(closed)),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.query)?.text ?? "";
  }

  /** The document whose proposal is being opened: meanwhile no editor may be active, or still the document's. */
  get opening(): vscode.TextDocument | undefined {
    return this.current?.document;
  }

  /** Wait until the proposal that is being opened, if any, is there, with the cursor on its hunk. */
  async opened(): Promise<void> {
    await this.current?.isOpen.catch(() => {}); // it is reported where it was asked for
  }

  /** Show the proposal of a document and go to its first hunk or, `atCursor`, to the one at the cursor. */
  async open(document: vscode.TextDocument, atCursor = false): Promise<void> {
    const current = { document, isOpen: this.show(document, atCursor) };
    this.current = current;
    this.openingChanged.fire();
    try {
      await current.isOpen;
    } finally {
      if (this.current === current) this.current = undefined;
      this.openingChanged.fire();
    }
  }

  private async show(document: vscode.TextDocument, atCursor: boolean): Promise<void> {
    const key = document.uri.toString();
    const editor = vscode.window.visibleTextEditors.find(
      (one) => one.document === document && one.viewColumn !== undefined,
    );
    const uri = proposalUri(document);
    const shown = this.shown.get(key) ?? {
      document,
      uri,
      column: editor?.viewColumn,
      text: "",
      hunks: [],
      versions: [],
    };
    this.shown.set(key, shown);
    this.edits.of(document.uri).forEach((live) => this.offered.add(live));
    this.refresh(shown);
    const cursor = atCursor ? (editor?.selection.active.line ?? 0) : 0;
    const isAfter = ({ hunk }: PlacedHunk): boolean => hunk.start + Math.max(1, hunk.oldCount) > cursor;
    const line = (shown.hunks.find(isAfter) ?? shown.hunks[0])?.place.start ?? 0;
    await vscode.commands.executeCommand("vscode.diff", document.uri, uri, `${nameOf(document)} (editd)`, {
      preview: false, // a preview tab would take the place of the document's own
      preserveFocus: false, // else no key works
      ...(shown.column && { viewColumn: shown.column }),
      selection: new vscode.Range(line, 0, line, 0),
    });
    const opened = await activeEditor(uri);
    if (!opened) return;
    // What VS Code tells of the cursor comes later, and a key may be waiting for this.
    if (opened.selection.active.line !== line) opened.selection = new vscode.Selection(line, 0, line, 0);
    // High up, because the old lines will push the new ones down.
    revealHigh(opened, line);
  }

  /** Close the proposal and go back to the document; hunks stay, as marks in it. */
  async close(document: vscode.TextDocument): Promise<void> {
    const shown = this.shown.get(document.uri.toString());
    if (!shown) return;
    this.shown.delete(document.uri.toString());
    // Not `activeTextEditor`, which stays the last one while a page that is no text is in front.
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    const isActive = active !== undefined && isOf(shown.uri)(active);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isOf(shown.uri));
    // The document first: closing takes a while, and a page that the user opens meanwhile keeps the focus.
    if (isActive && !document.isClosed)
      await vscode.window.showTextDocument(document, { ...(shown.column && { viewColumn: shown.column }) });
    if (tabs.length) await vscode.window.tabGroups.close(tabs);
  }

  /** The hunks in the proposal at `uri`, in its order; undefined for an address of anything else. */
  hunksIn(uri: vscode.Uri): readonly PlacedHunk[] | undefined {
    if (!isProposal(uri)) return undefined;
    return this.shown.get(uri.query)?.hunks ?? [];
  }

  /** The hunks of a proposal at their places in the text that its editor has by now, a moment after the edit's change. */
  hunksShown(proposal: vscode.TextDocument): readonly PlacedHunk[] | undefined {
    const shown = isProposal(proposal.uri) && this.shown.get(proposal.uri.query);
    if (!shown) return this.hunksIn(proposal.uri);
    const text = proposal.getText();
    const at = shown.versions.findLastIndex((version) => version.text === text);
    if (at > 0) shown.versions.splice(0, at);
    return at < 0 ? shown.hunks : shown.versions[0]!.hunks;
  }

  /** The hunk on a line of the proposal at `uri`. */
  hunkAt(uri: vscode.Uri, line: number): LiveHunk | undefined {
    const hunks = this.hunksIn(uri) ?? [];
    return hunks[
      placeAt(
        hunks.map(({ place }) => place),
        line,
      )
    ]?.hunk;
  }

  /** Wait until a proposal's editor has the text that it should have; a second at most. */
  async arrived(proposal: vscode.TextDocument): Promise<void> {
    const isIn = (): boolean => proposal.getText() === this.provideTextDocumentContent(proposal.uri);
    await eventually(isIn, vscode.workspace.onDidChangeTextDocument, MAX_WAIT_MS);
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.textChanged.dispose();
    this.openingChanged.dispose();
  }

  private update(document: vscode.TextDocument): void {
    const live = this.edits.of(document.uri);
    const shown = this.shown.get(document.uri.toString());
    if (shown && !live.length) void this.close(document);
    else if (shown) this.refresh(shown);
    else if (live.some((edit) => this.shouldOpen(edit))) void this.open(document);
  }

  private refresh(shown: Shown): void {
    const { document, uri } = shown;
    const hunks = this.edits.hunksOf(document.uri);
    const live = this.edits.of(document.uri);
    if (live.some(({ review }) => review.version !== document.version && review.open().length)) {
      // Until the server has said where they stand after a change of the document, all stays as it is.
      const isOpen = ({ hunk }: PlacedHunk): boolean =>
        hunks.some(({ live: { review }, id }) => review === hunk.live.review && id === hunk.id);
      shown.hunks = shown.hunks.filter(isOpen);
      return;
    }
    const { text, places } = propose(splitLines(document.getText()), hunks);
    shown.hunks = hunks.map((hunk, index) => ({ hunk, place: places[index]! }));
    if (shown.versions.at(-1)?.text === text) shown.versions.pop();
    shown.versions = [...shown.versions.slice(-MAX_BEHIND), { text, hunks: shown.hunks }];
    shown.text = text;
    this.textChanged.fire(uri);
  }

  private shouldOpen(live: LiveEdit): boolean {
    const { preview } = settings();
    const { document, review } = live;
    if (preview === "inline" || this.offered.has(live) || !live.isUntouched) return false;
    if (vscode.window.activeTextEditor?.document !== document) return false;
    if (review.version !== document.version) return false;
    const lineAt = lineOf(document);
    return review.open().some((hunk) => preview === "diff" || needsRoom(hunk, lineAt));
  }

  /** The user has closed its tab. */
  private forget(closed: readonly vscode.Tab[]): void {
    for (const [key, { uri }] of this.shown) if (closed.some(isOf(uri))) this.shown.delete(key);
  }
}

function isOf(uri: vscode.Uri): (tab: vscode.Tab) => boolean {
  return ({ input }) =>
    input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString();
}

/** The editor of `uri`, once it is the active one, a moment after its tab; undefined if it is not in a second. */
async function activeEditor(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const find = (): vscode.TextEditor | undefined => {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.uri.toString() === uri.toString() ? editor : undefined;
  };
  await eventually(() => find() !== undefined, vscode.window.onDidChangeActiveTextEditor, MAX_WAIT_MS);
  return find();
}

/** Scrolls so that `line` is near the top, with something of what stands before it. */
export function revealHigh(editor: vscode.TextEditor, line: number): void {
  const first = Math.max(0, line - LINES_BEFORE);
  editor.revealRange(new vscode.Range(first, 0, first, 0), vscode.TextEditorRevealType.AtTop);
}

const LINES_BEFORE = 4;
