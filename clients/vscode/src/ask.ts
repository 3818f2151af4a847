// Asks what should change: the instruction box, the list of presets. Warms the model up meanwhile.

import * as vscode from "vscode";
import type { Client } from "./client";
import { settings } from "./config";
import type { Ask } from "./edit";
import { CHOOSE_MODEL } from "./editor-words";
import { InstructionBox } from "./instruction-box";
import type { Log } from "./log";
import * as protocol from "./protocol";
import type { Lines } from "./track";

const REMEMBERED = 20;
const RECENT = "editd.recentInstructions";

export class Asker {
  private box: InstructionBox | undefined; // that is open

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: Client,
    private readonly log: Log,
  ) {}

  /** Put an instruction given before into the box that is open: one further back, or nearer. */
  recall(direction: "back" | "forward"): void {
    this.box?.recall(direction);
  }

  /** An instruction in the user's words, or undefined. */
  async instruction(
    document: vscode.TextDocument,
    lines: Lines | undefined,
    title: string,
  ): Promise<Ask | undefined> {
    this.warmUp(document, lines);
    const what = `${title} (${scope(document, lines)})`;
    const box = (this.box = new InstructionBox(what, this.recent(), (prefix) =>
      this.mentions(document, prefix),
    ));
    const typed = await box.ask();
    if (this.box === box) this.box = undefined;
    if (typed === "presets") return this.preset(document, lines);
    if (typed === "recent") {
      const again = await vscode.window.showQuickPick(this.recent(), { title: "editd: recent instructions" });
      return again === undefined ? undefined : { instruction: again, ...(lines && { lines }) };
    }
    const instruction = typed?.text.trim();
    if (!instruction) return undefined;
    await this.remember(instruction);
    return { instruction, ...(lines && { lines }) };
  }

  /** A preset from the list, or undefined. */
  async preset(document: vscode.TextDocument, lines: Lines | undefined): Promise<Ask | undefined> {
    this.warmUp(document, lines);
    const chosen = await vscode.window.showQuickPick<PresetItem>(this.presets().then(presetItems), {
      title: `editd: ${scope(document, lines)}`,
      placeHolder: "What should be done?",
      matchOnDetail: true,
    });
    if (chosen?.preset?.refusal) await vscode.commands.executeCommand("editd.chooseModel");
    if (!chosen?.preset || chosen.preset.refusal) return undefined;
    return { instruction: "", preset: chosen.preset.name, ...(lines && { lines }) };
  }

  async presets(): Promise<protocol.PresetEntry[]> {
    return (await this.client.request<protocol.PresetList>(protocol.PRESETS, {})).presets;
  }

  /** So that Enter costs only the instruction. It runs in the background, and a failure shows in the edit. */
  private warmUp(document: vscode.TextDocument, lines: Lines | undefined): void {
    if (settings().warmUp === "never") return;
    void this.client
      .start()
      .then(() =>
        this.client.request<protocol.WarmupAnswer>(protocol.WARMUP, {
          textDocument: { uri: this.client.uriOf(document), version: document.version },
          ...(lines && {
            range: { start: { line: lines.start, character: 0 }, end: { line: lines.end, character: 0 } },
          }),
        }),
      )
      .then(
        (answer) => this.log.debug(`warm-up: ${answer.status} ${answer.message ?? ""}`),
        (error: unknown) => this.log.debug(`warm-up: ${String(error)}`),
      );
  }

  /** None where the server cannot be asked: an instruction can be given all the same. */
  private async mentions(document: vscode.TextDocument, prefix: string): Promise<protocol.MentionEntry[]> {
    const textDocument = { uri: this.client.uriOf(document) };
    const params: protocol.MentionsParams = { prefix, textDocument };
    try {
      return (await this.client.request<protocol.MentionList>(protocol.MENTIONS, params)).mentions;
    } catch (error) {
      this.log.debug(`mentions: ${String(error)}`);
      return [];
    }
  }

  private recent(): string[] {
    return this.context.workspaceState.get<string[]>(RECENT, []);
  }

  private async remember(instruction: string): Promise<void> {
    const others = this.recent().filter((other) => other !== instruction);
    await this.context.workspaceState.update(RECENT, [instruction, ...others].slice(0, REMEMBERED));
  }
}

interface PresetItem extends vscode.QuickPickItem {
  preset?: protocol.PresetEntry;
}

/** Those that the present model refuses stand last, and lead to another model. */
function presetItems(presets: readonly protocol.PresetEntry[]): PresetItem[] {
  const item = (preset: protocol.PresetEntry): PresetItem => ({
    label: preset.title,
    ...(preset.refusal && { iconPath: new vscode.ThemeIcon("circle-slash"), description: CHOOSE_MODEL }),
    detail: preset.instruction,
    preset,
  });
  const refused = presets.filter(({ refusal }) => refusal).map(item);
  const separator = { label: "needs a larger model", kind: vscode.QuickPickItemKind.Separator };
  return [
    ...presets.filter(({ refusal }) => !refusal).map(item),
    ...(refused.length ? [separator, ...refused] : []),
  ];
}

/** The lines that a selection touches; undefined where nothing is selected: the whole file. */
export function selectedLines(
  editor: vscode.TextEditor | undefined,
  document: vscode.TextDocument,
): Lines | undefined {
  if (editor?.document !== document || editor.selection.isEmpty) return undefined;
  const { selection } = editor;
  const { start, end } = selection;
  // A selection of whole lines ends at the beginning of the line after them.
  return { start: start.line, end: end.character === 0 ? end.line : end.line + 1 };
}

function scope(document: vscode.TextDocument, lines: Lines | undefined): string {
  const name = document.uri.path.split("/").at(-1) || "this file";
  if (!lines) return name;
  return lines.end - lines.start === 1
    ? `line ${lines.start + 1} of ${name}`
    : `lines ${lines.start + 1} to ${lines.end} of ${name}`;
}
