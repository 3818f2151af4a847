// The status bar item, and the list behind it.

import * as vscode from "vscode";
import type { Client } from "./client";
import type { Edits } from "./edit";
import { daemonFacts, speed } from "./figures";
import { escape } from "./markdown";
import * as protocol from "./protocol";
import { soon } from "./soon";
import { statusText } from "./status-text";

const OLD_AFTER_MS = 8000; // how long an edit's end is news

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("editd", vscode.StatusBarAlignment.Left, 0);
  private readonly subscriptions: vscode.Disposable[];
  private readonly showSoon = soon(() => this.show());
  private status: protocol.ServerStatus | undefined;
  private lastAnswer: protocol.EditAnswer | undefined;
  private news: { document: vscode.TextDocument; answer: protocol.EditAnswer } | undefined;
  private aging: NodeJS.Timeout | undefined;
  private process: "starting" | "running" | "stopped" | "missing" = "stopped";

  constructor(
    client: Client,
    private readonly edits: Edits,
  ) {
    this.item.name = "editd";
    this.item.command = "editd.showStatus";
    client.onNotification(protocol.DID_CHANGE_STATUS, (status: protocol.ServerStatus) => {
      this.status = status;
      this.showSoon();
    });
    this.subscriptions = [
      client.onDidChangeState((state) => {
        this.process = state;
        this.status = undefined;
        this.show();
      }),
      this.showSoon,
      edits.onDidChange(this.showSoon),
      vscode.window.onDidChangeActiveTextEditor(() => this.show()),
    ];
    this.show();
    this.item.show();
  }

  /** No editd on this machine. */
  missing(): void {
    this.process = "missing";
    this.show();
  }

  /** An edit has ended. */
  answered(document: vscode.TextDocument, answer: protocol.EditAnswer): void {
    this.lastAnswer = answer;
    this.news = { document, answer };
    this.show();
    clearTimeout(this.aging);
    this.aging = setTimeout(() => {
      this.news = undefined;
      this.show();
    }, OLD_AFTER_MS);
  }

  dispose(): void {
    clearTimeout(this.aging);
    this.item.dispose();
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private show(): void {
    const { icon, text } = this.text();
    this.item.text = `$(${icon}) editd${text && `: ${text}`}`;
    this.item.tooltip = this.tooltip();
    this.item.backgroundColor =
      this.status?.state === "error" ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.accessibilityInformation = { label: this.item.text.replace(/\$\([^)]*\)\s*/g, "") };
  }

  private text(): ReturnType<typeof statusText> {
    const document = this.edits.here();
    const live = document ? this.edits.of(document.uri) : [];
    return statusText({
      process: this.process,
      server: this.status,
      isEditing: live.some(({ review }) => review.state === "running"),
      hunks: document ? this.edits.hunksOf(document.uri).length : 0,
      last: live.length ? live.at(-1)!.review.answer : this.newsOf(document),
    });
  }

  private newsOf(document: vscode.TextDocument | undefined): protocol.EditAnswer | undefined {
    return this.news?.document === document ? this.news?.answer : undefined;
  }

  private tooltip(): vscode.MarkdownString {
    const text = new vscode.MarkdownString("", true);
    const { lastAnswer } = this;
    const model = this.status?.model || lastAnswer?.model;
    text.appendMarkdown(`**editd**${model ? ` · ${escape(model)}` : ""}\n\n`);
    if (lastAnswer?.summary) text.appendMarkdown(`${escape(lastAnswer.summary)}\n\n`);
    if (this.status?.message) text.appendMarkdown(`${escape(this.status.message)}\n\n`);
    if (lastAnswer?.stats.output_tokens) {
      const { output_tokens: tokens, total_seconds: seconds, first_hunk_ms: first } = lastAnswer.stats;
      text.appendMarkdown(
        `Last edit: ${tokens} tokens in ${seconds.toFixed(2)} s${suffix(speed(lastAnswer))}` +
          `${first === null || first === undefined ? "" : ` · first hunk after ${Math.round(first)} ms`}\n\n`,
      );
      for (const notice of lastAnswer.notices) text.appendMarkdown(`${escape(notice)}\n\n`);
    }
    text.appendMarkdown("Click for more.");
    return text;
  }
}

/** The status of server and daemon, and the commands offered with it. */
export async function showStatus(client: Client): Promise<void> {
  const status = await client.request<protocol.ServerStatus>(protocol.STATUS, {});
  const actions: (vscode.QuickPickItem & { command?: string })[] = [
    { label: "$(refresh) Restart Server", command: "editd.restartServer" },
    { label: "$(output) Show Log", command: "editd.showLog" },
    { label: "$(gear) Settings", command: "editd.openSettings" },
  ];
  const chosen = await vscode.window.showQuickPick(
    [
      ...daemonFacts(status).map(([name, value]) => ({ label: name, description: value })),
      { label: "", kind: vscode.QuickPickItemKind.Separator },
      ...actions,
    ],
    { title: "editd: status" },
  );
  const command = chosen && "command" in chosen ? chosen.command : undefined;
  if (command) await vscode.commands.executeCommand(command);
}

function suffix(text: string): string {
  return text && ` · ${text}`;
}
