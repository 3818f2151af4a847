// The status bar item, and the list behind it.

import * as vscode from "vscode";
import type { Client } from "./client";
import type { Edits } from "./edit";
import { daemonFacts, speed, statusLine } from "./figures";
import { escape } from "./markdown";
import * as protocol from "./protocol";
import { soon } from "./soon";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("editd", vscode.StatusBarAlignment.Left, 0);
  private readonly subscriptions: vscode.Disposable[];
  private readonly showSoon = soon(() => this.show());
  private status: protocol.ServerStatus | undefined;
  private lastAnswer: protocol.EditAnswer | undefined;
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

  answered(answer: protocol.EditAnswer): void {
    this.lastAnswer = answer;
    this.show();
  }

  dispose(): void {
    this.item.dispose();
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private show(): void {
    this.item.text = this.text();
    this.item.tooltip = this.tooltip();
    this.item.backgroundColor =
      this.status?.state === "error" ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.accessibilityInformation = { label: this.item.text.replace(/\$\([^)]*\)\s*/g, "") };
  }

  private text(): string {
    if (this.process === "missing") return "$(circle-slash) editd: not installed";
    if (this.process === "starting") return "$(loading~spin) editd: starting";
    const line = this.status ? statusLine(this.status) : "";
    const hunks = this.hunksHere();
    if (this.status?.state === "error") return "$(warning) editd: error";
    if (line) return `$(loading~spin) editd: ${line}${hunks ? `, ${plural(hunks, "hunk")}` : ""}`;
    if (hunks) return `$(diff) editd: ${plural(hunks, "hunk")}${suffix(speed(this.lastAnswer))}`;
    return `$(sparkle) editd${suffix(speed(this.lastAnswer))}`;
  }

  private tooltip(): vscode.MarkdownString {
    const text = new vscode.MarkdownString("", true);
    const model = this.status?.model || this.lastAnswer?.model;
    text.appendMarkdown(`**editd**${model ? ` · ${escape(model)}` : ""}\n\n`);
    if (this.status?.message) text.appendMarkdown(`${escape(this.status.message)}\n\n`);
    const { lastAnswer } = this;
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

  private hunksHere(): number {
    const document = this.edits.here();
    return document ? this.edits.hunksOf(document.uri).length : 0;
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
      ...daemonFacts(status).map(([name, value]) => ({ label: value, description: name })),
      { label: "", kind: vscode.QuickPickItemKind.Separator },
      ...actions,
    ],
    { title: "editd: status" },
  );
  const command = chosen && "command" in chosen ? chosen.command : undefined;
  if (command) await vscode.commands.executeCommand(command);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function suffix(text: string): string {
  return text && ` · ${text}`;
}
