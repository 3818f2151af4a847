// The edits of this window: starts them, takes in what the server reports, cancels them.
//
// Deciding on hunks is left to `decide.ts`, drawing them to `preview.ts`.

import * as vscode from "vscode";
import type { Client } from "./client";
import { editParams } from "./edit-request";
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
  /** The refinement that is to take its place; until that has hunks, those of this one stay in sight. */
  successor?: LiveEdit;
  /** The edit that this refinement is to take the place of; it is back if nothing comes of this one. */
  predecessor?: LiveEdit;
  /** Whether nothing but accepted hunks has changed the document since this edit was asked for. */
  isUntouched: boolean;
}

/** `isDimmed`: it is being refined, and cannot be decided on. */
export type LiveHunk = Hunk & { live: LiveEdit; isDimmed: boolean };

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
    const token = `vscode-${++this.count}`;
    const review = new Review(token, document.version);
    const live: LiveEdit = { review, document, ask, isUntouched: document.version === version };
    this.clearTheWay(live);
    this.live.set(token, live);
    this.last.set(document.uri.toString(), live);
    this.changed.fire(document);
    try {
      const answer = await this.client.request<protocol.EditAnswer>(
        protocol.EDIT,
        editParams(this.client, live),
      );
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
      this.succeed(live);
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
      .filter(({ successor }) => !successor?.review.open().length)
      .flatMap((live) =>
        live.review.open().map((hunk) => ({ ...hunk, live, isDimmed: live.successor !== undefined })),
      )
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

  /** The edit of a document that can be refined: its latest, or the one that this should have refined and did not. */
  refinable(uri: vscode.Uri): LiveEdit | undefined {
    const last = this.lastOf(uri);
    return [last, last?.predecessor].find((live) => live?.review.state === "ok");
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

  /** A new edit ends the one that runs in its document, and drops hunks that it would write over. */
  private clearTheWay(coming: LiveEdit): void {
    const { document, ask } = coming;
    // The last first: until a refinement is stopped, single hunks of what it refines stay.
    for (const live of this.of(document.uri).reverse()) {
      const { review } = live;
      if (review.token === ask.basedOn && review.state === "ok") {
        live.successor = coming;
        coming.predecessor = live;
        continue;
      }
      const hunks = review.open();
      const isInTheWay = ({ start, oldCount }: Hunk): boolean =>
        !ask.lines || overlap(ask.lines, { start, end: start + oldCount });
      const ids = hunks.filter(isInTheWay).map((hunk) => hunk.id);
      if (review.state === "running" || ids.length === hunks.length) {
        this.dismiss(live);
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

  /** A refinement has ended: what it refines is replaced or, if nothing came of it, back. */
  private succeed(live: LiveEdit): void {
    for (const before of this.of(live.document.uri)) {
      if (before.successor !== live) continue;
      delete before.successor;
      // Its hunks may all have been decided on while it ran.
      if (live.review.state === "ok" && live.review.answer?.hunks.length) {
        this.live.delete(before.review.token);
        delete live.predecessor;
      }
    }
  }

  private update(token: protocol.EditToken, change: (live: LiveEdit) => void): void {
    // An undo opens hunks of the last edit again, though that was over.
    const last = [...this.last.values()].flatMap((live) => [live, live.predecessor]);
    const live = this.live.get(token) ?? last.find((known) => known?.review.token === token);
    if (!live) return;
    change(live);
    if (live.review.open().length) this.live.set(token, live);
    this.settled(live);
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (!contentChanges.length) return; // it was saved
    if (!this.isAccepting.has(document)) for (const live of this.of(document.uri)) live.isUntouched = false;
    const moved = (lines: Lines): Lines =>
      contentChanges.reduce(
        (place, { range, text }) =>
          shifted(place, {
            start: range.start.line,
            end: range.end.line,
            newLines: text.split("\n").length - 1,
          }),
        lines,
      );
    const last = this.lastOf(document.uri);
    for (const live of [last, last?.predecessor])
      if (live?.ask.lines) live.ask = { ...live.ask, lines: moved(live.ask.lines) };
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
