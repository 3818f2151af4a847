// After an accept: if a language server finds a new problem in the accepted lines, offers to undo or to refine.

import * as vscode from "vscode";
import { changedLines, newProblem, words, type Problem, type Replaced } from "./new-problems";

const SECONDS = 20; // a slow server's findings come late; later ones are of something else

const UNDO = "Undo";
const REFINE = "Refine with This Problem";

export class Problems implements vscode.Disposable {
  private watching: vscode.Disposable | undefined;

  dispose(): void {
    this.watching?.dispose();
  }

  /** To be called before the change is made; the function that it returns, once it is made. */
  before(document: vscode.TextDocument): (edits: readonly Replaced[]) => void {
    const known = problemsOf(document);
    return (edits) => this.watch(document, known, edits);
  }

  private watch(document: vscode.TextDocument, known: Problem[], edits: readonly Replaced[]): void {
    this.dispose();
    const lines = changedLines(edits);
    const { version } = document;
    const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((uri) => uri.toString() === document.uri.toString())) return;
      // Typing moves lines, and problems that come now may be of what is typed.
      const problem = document.version === version && newProblem(known, problemsOf(document), lines);
      if (problem) void offer(document, version, problem);
      if (problem || document.version !== version) watching.dispose();
    });
    const timer = setTimeout(() => watching.dispose(), 1000 * SECONDS);
    const watching = new vscode.Disposable(() => {
      clearTimeout(timer);
      listening.dispose();
    });
    this.watching = watching;
  }
}

async function offer(document: vscode.TextDocument, version: number, problem: Problem): Promise<void> {
  const message = `editd: The accepted lines have a new problem. ${words(problem)}`;
  const chosen = await vscode.window.showWarningMessage(message, UNDO, REFINE);
  if (!chosen) return;
  await vscode.window.showTextDocument(document);
  if (chosen === REFINE) {
    await vscode.commands.executeCommand("editd.rewriteWithPreset", {
      preset: "fix",
      instruction: `Fix this problem: ${words(problem)}`,
      ...problem.lines,
    });
  } else if (document.version === version) {
    await vscode.commands.executeCommand("undo");
  } else {
    void vscode.window.showInformationMessage("editd: The text has changed since; nothing was undone.");
  }
}

function problemsOf(document: vscode.TextDocument): Problem[] {
  return vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
    .map(({ message, source, range }) => ({
      message,
      source: source ?? "",
      lines: { start: range.start.line, end: range.end.line + 1 },
    }));
}
