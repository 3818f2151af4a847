// The presets in VS Code's own menus: Refactor…, and Fix beside a problem. They lead to the review.

import * as vscode from "vscode";
import { settings } from "./config";
import { CODE_ACTION_KIND, type PresetEntry } from "./protocol";

export class Actions implements vscode.CodeActionProvider {
  static readonly metadata: vscode.CodeActionProviderMetadata = {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, kind()],
  };

  /** As the server knows them; empty until it has been asked. */
  presets: readonly PresetEntry[] = [];

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range | vscode.Selection,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (!settings().codeActions) return [];
    const actions: vscode.CodeAction[] = [];
    for (const { name, title, refusal } of this.presets) {
      // "Fix" belongs to problems; refactorings are offered where something is selected.
      const isFix = name === "fix";
      if (isFix ? !context.diagnostics.length : range.isEmpty && !context.only) continue;
      const action = new vscode.CodeAction(
        isFix ? `Fix with editd${refusal ? " (needs a larger model)" : ""}` : `editd: ${title}`,
        isFix ? vscode.CodeActionKind.QuickFix : kind(name),
      );
      if (context.only && !context.only.contains(action.kind!)) continue;
      if (refusal) {
        // VS Code shows disabled refactorings, dimmed, but no disabled fix.
        if (isFix) action.command = { title, command: "editd.chooseModel" };
        else action.disabled = { reason: refusal };
        actions.push(action);
        continue;
      }
      const lines = isFix ? around(context.diagnostics, document) : range;
      action.command = {
        title,
        command: "editd.rewriteWithPreset",
        arguments: [{ preset: name, start: lines.start.line, end: lastLine(lines) + 1 }],
      };
      actions.push(action);
    }
    return actions;
  }
}

function kind(preset?: string): vscode.CodeActionKind {
  const all = vscode.CodeActionKind.Empty.append(CODE_ACTION_KIND);
  return preset === undefined ? all : all.append(preset);
}

const LINES_AROUND = 3; // a problem is rarely put right in the very line where it is reported

function around(diagnostics: readonly vscode.Diagnostic[], document: vscode.TextDocument): vscode.Range {
  const lines = diagnostics.flatMap(({ range }) => [range.start.line, range.end.line]);
  return new vscode.Range(
    Math.max(0, Math.min(...lines) - LINES_AROUND),
    0,
    Math.min(document.lineCount - 1, Math.max(...lines) + LINES_AROUND),
    1,
  );
}

function lastLine({ start, end }: vscode.Range): number {
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}
