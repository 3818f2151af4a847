// The edits of this window: starts them, takes in what the server reports, cancels them.
//
// Deciding on hunks is left to `decide.ts`, drawing them to `preview.ts`.

import * as vscode from "vscode";
import type { Client } from "./client";
import { sentence, type Log } from "./log";
import { proposedDocument } from "./proposal-uri";
import * as protocol from "./protocol";
import { Review, type Hunk } from "./review";
import { overlap, shifted, type Lines } from "./track";

/** What is asked for. `lines`: what may change; absent: everything. */
export interface Ask {
  instruction: string;
  preset?: string;
  /** A change to merge. */
  sketch?: string;
  lines?: Lines;
  basedOn?: protocol.EditToken;
  /** Another way to the edit. */
  way?: protocol.Way["name"];
}

/** An edit, its document, and what was asked for. */
export interface LiveEdit {
  readonly review: Review;
  readonly document: vscode.TextDocument;
  ask: Ask;
  /** Whether nothing but accepted hunks has changed the document since this edit was asked for. */
  isUntouched: boolean;
}

export type LiveHunk = Hunk & { live: LiveEdit };

export class Edits implements vscode.Disposable {
  private readonly live = new Map<protocol.EditToken, LiveEdit>();
  private readonly last = new Map<string, LiveEdit>(); // by document
  private readonly changed = new vscode.EventEmitter<vscode.TextDocument>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly isAccepting = new Set<vscode.TextDocument>();
  private count = 0;

  /** Something about the edits of a document has changed. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly client: Client,
    private readonly log: Log,
  ) {
    client.onNotification(protocol.EDIT_DELTA, (delta: protocol.EditDelta) =>
      this.update(delta.editToken, ({ review }) => review.takeDelta(delta)),
    );
    client.onNotification(protocol.EDIT_REBASED, (rebased: protocol.EditRebased) =>
      this.update(rebased.editToken, ({ review }) => review.takeRebased(rebased)),
    );
    this.subscriptions = [
      client.onDidChangeState((state) => state === "stopped" && this.forgetAll()),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.tabsClosed(closed)),
    ];
  }

  /** Rewrite a document as `ask` says; the answer, or undefined where the server refused the request. */
  async start(document: vscode.TextDocument, ask: Ask): Promise<protocol.EditAnswer> {
    const { version } = document;
    await this.client.start();
    this.clearTheWay(document, ask);
    const token = `vscode-${++this.count}`;
    const review = new Review(token, document.version);
    const live: LiveEdit = { review, document, ask, isUntouched: document.version === version };
    this.live.set(token, live);
    this.last.set(document.uri.toString(), live);
    this.changed.fire(document);
    try {
      const answer = await this.client.request<protocol.EditAnswer>(protocol.EDIT, this.params(live));
      live.review.finish(answer);
      // It may have ended before the server heard of the cancellation.
      if (answer.status === "ok" && !live.review.open().length) this.tellDismissed(live);
      this.log.info(`edit ${token}: ${answer.finish_reason}, ${answer.hunks.length} hunks`);
      return answer;
    } catch (error) {
      live.review.state = "failed";
      this.live.delete(token);
      throw new Error(sentence(error));
    } finally {
      this.settled(live);
    }
  }

  /** `keep`: whether hunks that are done stay, to be decided on; absent: as the server is set. */
  async cancel(live: LiveEdit, keep?: boolean): Promise<void> {
    if (live.review.state !== "running") return;
    const params: protocol.CancelParams = {
      editToken: live.review.token,
      ...(keep !== undefined && { keep }),
    };
    await this.client.request<protocol.CancelAnswer>(protocol.CANCEL, params);
  }

  /** Stop it if it runs, and forget its hunks. */
  dismiss(live: LiveEdit): void {
    live.review.dismiss();
    this.settled(live);
    if (live.review.state === "running") void this.cancel(live, false);
    else this.tellDismissed(live);
  }

  /** Hunks of a document to look at, in its order. */
  hunksOf(uri: vscode.Uri): LiveHunk[] {
    return this.of(uri)
      .flatMap((live) => live.review.open().map((hunk) => ({ ...hunk, live })))
      .sort((a, b) => a.start - b.start);
  }

  /** The edits of a document that run or have hunks left. */
  of(uri: vscode.Uri): LiveEdit[] {
    const key = uri.toString();
    return [...this.live.values()].filter((live) => live.document.uri.toString() === key);
  }

  /** The latest edit of a document, in any state. */
  lastOf(uri: vscode.Uri): LiveEdit | undefined {
    return this.last.get(uri.toString());
  }

  get(token: protocol.EditToken): LiveEdit | undefined {
    return this.live.get(token);
  }

  all(): LiveEdit[] {
    return [...this.live.values()];
  }

  /** The document that the user looks at or, in its proposal, the one that is proposed. */
  here(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    const uri = document?.uri ?? (input instanceof vscode.TabInputTextDiff ? input.modified : undefined);
    return proposedDocument(uri) ?? document;
  }

  /** Run `change`, which accepts hunks: what it does to the document is not the user's typing. */
  async accepting<T>(document: vscode.TextDocument, change: () => Promise<T>): Promise<T> {
    this.isAccepting.add(document);
    try {
      return await change();
    } finally {
      this.isAccepting.delete(document);
    }
  }

  /** To be called when hunks were decided: an edit without any left is over. */
  settled(live: LiveEdit): void {
    const { review } = live;
    if (review.state !== "running" && review.open().length === 0) this.live.delete(review.token);
    this.changed.fire(live.document);
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.changed.dispose();
  }

  /** Where the server knows of no such edit, it has forgotten it already. */
  private tellDismissed({ review }: LiveEdit): void {
    if (!this.client.isRunning) return;
    const params: protocol.RejectParams = { editToken: review.token, hunkIds: "all" };
    void this.client.request<protocol.RejectAnswer>(protocol.REJECT, params).catch(() => {});
  }

  private params(live: LiveEdit): protocol.EditParams {
    const { document, ask } = live;
    return {
      editToken: live.review.token,
      instruction: ask.instruction,
      ...(ask.preset && { preset: ask.preset }),
      ...(ask.sketch !== undefined && { sketch: ask.sketch }),
      textDocument: { uri: this.client.uriOf(document), version: document.version },
      ...(ask.lines && { range: wholeLines(document, ask.lines) }),
      ...(ask.basedOn !== undefined && { basedOn: ask.basedOn }),
      ...(ask.way && { options: { way: ask.way } }),
      context: ask.preset === "fix" ? this.diagnostics(document, ask.lines) : [],
    };
  }

  private diagnostics(document: vscode.TextDocument, lines: Lines | undefined): protocol.ContextEntry[] {
    const scope = lines ?? { start: 0, end: document.lineCount };
    return vscode.languages
      .getDiagnostics(document.uri)
      .filter(({ range }) => overlap(scope, { start: range.start.line, end: range.end.line + 1 }))
      .slice(0, MAX_DIAGNOSTICS)
      .map(({ message, source, range }) => ({
        kind: "diagnostic",
        text: source ? `${source}: ${message}` : message,
        uri: this.client.uriOf(document),
        range: { start: { ...plain(range.start) }, end: { ...plain(range.end) } },
      }));
  }

  /** A new edit ends the one that runs in its document, and drops hunks that it would write over. */
  private clearTheWay(document: vscode.TextDocument, ask: Ask): void {
    for (const live of this.of(document.uri)) {
      const { review } = live;
      const hunks = review.open();
      const isInTheWay = ({ start, oldCount }: Hunk): boolean =>
        !ask.lines || overlap(ask.lines, { start, end: start + oldCount });
      const ids = hunks.filter(isInTheWay).map((hunk) => hunk.id);
      if (review.state === "running" || ids.length === hunks.length) {
        // What is refined is forgotten by the server itself, which still needs it.
        if (review.token === ask.basedOn) review.dismiss();
        else this.dismiss(live);
      } else if (ids.length) {
        review.settle(ids, "rejected");
        void this.client.request<protocol.RejectAnswer>(protocol.REJECT, {
          editToken: review.token,
          hunkIds: ids,
        });
      }
      this.settled(live);
    }
  }

  private update(token: protocol.EditToken, change: (live: LiveEdit) => void): void {
    const live = this.live.get(token);
    if (!live) return;
    change(live);
    this.settled(live);
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (!contentChanges.length) return; // it was saved
    if (!this.isAccepting.has(document)) for (const live of this.of(document.uri)) live.isUntouched = false;
    const live = this.lastOf(document.uri);
    if (!live?.ask.lines) return;
    let lines = live.ask.lines;
    for (const { range, text } of contentChanges)
      lines = shifted(lines, {
        start: range.start.line,
        end: range.end.line,
        newLines: text.split("\n").length - 1,
      });
    live.ask = { ...live.ask, lines };
  }

  private tabsClosed(closed: readonly vscode.Tab[]): void {
    for (const { input } of closed) {
      if (!(input instanceof vscode.TabInputText)) continue;
      const key = input.uri.toString();
      const isOpen = vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .some((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === key);
      if (!isOpen) this.of(input.uri).forEach((live) => this.dismiss(live));
    }
  }

  private closed(document: vscode.TextDocument): void {
    for (const live of this.of(document.uri)) this.live.delete(live.review.token);
    this.last.delete(document.uri.toString());
    this.changed.fire(document);
  }

  /** The server has gone, and what it knew with it. */
  private forgetAll(): void {
    const documents = new Set(this.all().map((live) => live.document));
    this.live.clear();
    this.last.clear();
    documents.forEach((document) => this.changed.fire(document));
  }
}

const MAX_DIAGNOSTICS = 20;

function wholeLines(
  document: vscode.TextDocument,
  { start, end }: Lines,
): protocol.ContextEntry["range"] & object {
  const last = document.lineAt(Math.min(Math.max(end - 1, start), document.lineCount - 1));
  return { start: { line: start, character: 0 }, end: plain(last.range.end) };
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
