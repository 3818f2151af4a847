// The box for an instruction: Up and Down bring those given before, `@` offers files and definitions.
//
// It is a list, because VS Code shows what can be chosen in no other box; the list is empty while nothing is offered.

import * as vscode from "vscode";
import { completed, mentionAtEnd, offers } from "./mention";
import type { MentionEntry } from "./protocol";

const RECALLS = "editd.recalls"; // whether Up and Down bring instructions; else they move in the list
const PAUSE_MS = 40; // between two letters of a fast typist nothing is looked for

const EXAMPLE = "Add type hints to every function.";

export type Answer = { text: string } | "presets" | "recent" | undefined;

interface Offer extends vscode.QuickPickItem {
  name: string;
}

export class InstructionBox implements vscode.Disposable {
  private readonly box = vscode.window.createQuickPick<Offer>();
  private at = -1; // in `before`
  private count = 0; // of changes, so that only the last is answered
  private isAlive = true;

  /** before: instructions given before, the last first. find: names for what is typed after an `@`. */
  constructor(
    title: string,
    private readonly before: readonly string[],
    private readonly find: (prefix: string) => Promise<readonly MentionEntry[]>,
  ) {
    const hint = before.length ? "What should change? ↑ brings the last instruction" : EXAMPLE;
    this.box.title = title;
    this.box.placeholder = `${hint} · @ adds a file or a symbol`;
  }

  /** Ask, once; undefined if the user goes away. */
  async ask(): Promise<Answer> {
    const { box } = this;
    const presets = { iconPath: new vscode.ThemeIcon("list-selection"), tooltip: "Presets" };
    const recent = { iconPath: new vscode.ThemeIcon("history"), tooltip: "Recent instructions" };
    box.buttons = this.before.length ? [presets, recent] : [presets];
    this.show([]);
    try {
      return await new Promise((resolve) => {
        box.onDidChangeValue((value) => void this.offer(value));
        box.onDidAccept(() => {
          const offer = box.items.length ? box.activeItems[0] : undefined;
          if (offer) this.complete(offer);
          else resolve({ text: box.value });
        });
        box.onDidTriggerButton((button) => resolve(button === presets ? "presets" : "recent"));
        box.onDidHide(() => resolve(undefined));
        box.show();
      });
    } finally {
      this.dispose();
    }
  }

  /** Put an instruction given before into the box: one further back, or nearer. */
  recall(direction: "back" | "forward"): void {
    this.at = Math.max(-1, Math.min(this.at + (direction === "back" ? 1 : -1), this.before.length - 1));
    this.box.value = this.before[this.at] ?? "";
  }

  dispose(): void {
    this.isAlive = false;
    this.box.dispose();
    void vscode.commands.executeCommand("setContext", RECALLS, false);
  }

  private async offer(value: string): Promise<void> {
    const count = ++this.count;
    const isLast = (): boolean => this.isAlive && count === this.count;
    const mention = mentionAtEnd(value);
    if (!mention) return this.show([]);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (!isLast()) return;
    const names = await this.find(mention.prefix);
    if (isLast()) this.show(offers(mention, names).map(item));
  }

  private complete({ name }: Offer): void {
    const mention = mentionAtEnd(this.box.value);
    this.count++;
    this.show([]);
    if (mention) this.box.value = completed(mention, name);
  }

  private show(items: readonly Offer[]): void {
    if (items.length || this.box.items.length) this.box.items = items;
    void vscode.commands.executeCommand("setContext", RECALLS, !items.length);
  }
}

function item({ name, kind, path }: MentionEntry): Offer {
  return {
    name,
    label: `@${name}`,
    ...(path && { description: path }),
    iconPath: new vscode.ThemeIcon(kind === "file" ? "file" : "symbol-method"),
    alwaysShow: true, // the server has chosen; VS Code would look for the whole instruction in each
  };
}
