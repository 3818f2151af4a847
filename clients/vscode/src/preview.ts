// Paints hunks into the editors that show their document. The document itself is not touched.

import * as vscode from "vscode";
import { settings } from "./config";
import type { Edits, LiveEdit, LiveHunk } from "./edit";
import { layOut, type Mark, type Page } from "./layout";
import { bare } from "./lines";
import { BOX, TYPES } from "./marks";

export class Preview implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  /** What each editor shows: types that have none and had none are not sent to it. */
  private readonly painted = new WeakMap<vscode.TextEditor, Set<Name>>();

  constructor(private readonly edits: Edits) {
    this.subscriptions = [
      edits.onDidChange((document) => this.paintAll(document)),
      vscode.window.onDidChangeVisibleTextEditors((editors) =>
        editors.forEach((editor) => this.paint(editor)),
      ),
      vscode.window.onDidChangeTextEditorOptions(({ textEditor }) => this.paint(textEditor)),
      vscode.window.onDidChangeTextEditorViewColumn(({ textEditor }) => this.paint(textEditor)),
      ...Object.values(TYPES),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private paintAll(document: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors)
      if (editor.document === document) this.paint(editor);
  }

  private paint(editor: vscode.TextEditor): void {
    const { document } = editor;
    const live = this.edits.of(document.uri);
    // Until the server has said where the hunks stand after a change, VS Code moves what is painted.
    if (live.some(({ review }) => review.version !== document.version && review.open().length)) return;
    const isSideBySide = editor.viewColumn === undefined; // half of a diff, which shows it all itself
    const hunks = isSideBySide ? [] : this.edits.hunksOf(document.uri);
    const running = isSideBySide
      ? []
      : live.filter(({ review }) => review.state === "running" && review.walked > 0);
    const before = this.painted.get(editor) ?? new Set<Name>();
    const options = decorations(hunks, running, pageOf(editor));
    const names = (Object.keys(TYPES) as Name[]).filter((name) => options[name].length || before.has(name));
    for (const name of names) editor.setDecorations(TYPES[name], options[name]);
    this.painted.set(editor, new Set(names.filter((name) => options[name].length)));
  }
}

type Name = keyof typeof TYPES;
type Options = Record<Name, vscode.DecorationOptions[]>;

function decorations(hunks: LiveHunk[], running: LiveEdit[], page: Page): Options {
  const options: Options = {
    hunk: [],
    suspect: [],
    noted: [],
    stale: [],
    removedLine: [],
    removedText: [],
    inserted: [],
    insertedLine: [],
    insertedBefore: [],
    insertedAfter: [],
    head: [],
    growing: [],
    dimmed: [],
  };
  const hasBoxes = settings().preview === "inline";
  hunks.forEach((hunk, index) => {
    const last = Math.max(hunk.start, hunk.start + hunk.oldCount - 1);
    const lines = new vscode.Range(clamp(hunk.start, page), 0, clamp(last, page), 0);
    if (hunk.state === "stale") {
      options.stale.push({ range: lines });
      return;
    }
    if (hunk.isDimmed) options.dimmed.push({ range: lines });
    const noted = hunk.note || hunk.noteSpans?.length ? "noted" : "hunk";
    options[hunk.suspect ? "suspect" : noted].push({ range: lines });
    const limit = hasBoxes ? (hunks[index + 1]?.start ?? page.lineCount) : 0;
    const isNoted = notedIn(hunk);
    for (const mark of layOut(hunk, page, limit)) addMark(options, mark, page, isNoted);
  });
  for (const { review } of running)
    options.head.push({
      range: new vscode.Range(clamp(review.walked, page), 0, clamp(review.walked, page), 0),
    });
  return options;
}

/** Whether new text is worth a look: all of a hunk with a note, else what a note on a part is about. */
function notedIn({ note, noteSpans = [], newLines }: LiveHunk): (text: string) => boolean {
  const parts = noteSpans.map(({ line, start, end }) => bare(newLines[line] ?? "").slice(start, end));
  return (text) => note !== undefined || parts.some((part) => part !== "" && text.includes(part));
}

function addMark(options: Options, mark: Mark, page: Page, isNoted: (text: string) => boolean): void {
  const end = page.lineAt(mark.line).length;
  switch (mark.kind) {
    case "removedLine":
      options.removedLine.push({ range: new vscode.Range(mark.line, 0, mark.line, 0) });
      options.removedText.push({ range: new vscode.Range(mark.line, 0, mark.line, end) });
      break;
    case "removedText":
      options.removedText.push({ range: new vscode.Range(mark.line, mark.from, mark.line, mark.to) });
      break;
    case "insertedText":
      options.inserted.push({
        range: new vscode.Range(mark.line, mark.at, mark.line, mark.at),
        renderOptions: {
          after: {
            contentText: visible(mark.text, page.tabSize),
            ...(isNoted(mark.text) && { textDecoration: NOTED }),
          },
        },
      });
      break;
    case "insertion":
      options[mark.side === "before" ? "insertedBefore" : "insertedAfter"].push({
        range: new vscode.Range(mark.line, 0, mark.line, 0),
      });
      break;
    case "insertedLine":
      options.insertedLine.push({
        range: new vscode.Range(mark.line, end, mark.line, end),
        renderOptions: {
          after: {
            contentText: ` ${visible(mark.text, page.tabSize)} `.replaceAll(" ", NBSP),
            margin: `0 0 0 ${mark.gap}ch`,
            ...(isNoted(mark.text) && { textDecoration: `${NOTED}; ${BOX}` }),
          },
        },
      });
      break;
  }
}

const NOTED = "underline dotted var(--vscode-editd-noteForeground)";
const NBSP = "\u00a0"; // CSS would join ordinary spaces

function visible(text: string, tabSize: number): string {
  return text.replaceAll("\t", " ".repeat(tabSize)).replaceAll(" ", NBSP);
}

function pageOf({ document, options }: vscode.TextEditor): Page {
  return {
    lineCount: document.lineCount,
    tabSize: typeof options.tabSize === "number" ? options.tabSize : 4,
    lineAt: (line) => (line >= 0 && line < document.lineCount ? document.lineAt(line).text : ""),
  };
}

function clamp(line: number, page: Page): number {
  return Math.max(0, Math.min(line, page.lineCount - 1));
}
