// What `when` clauses of keys and menus ask about the active editor.

import * as vscode from "vscode";
import type { Edits } from "./edit";
import { hasFailed } from "./review";
import { soon } from "./soon";

export function keepContexts(edits: Edits): vscode.Disposable {
  const told = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (told.get(key) === value) return;
    told.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const update = (): void => {
    const uri = edits.here()?.uri;
    const reviews = uri ? edits.of(uri) : [];
    const last = uri && edits.lastOf(uri);
    set("editd.hasPending", uri !== undefined && edits.hunksOf(uri).some(({ isDimmed }) => !isDimmed));
    set(
      "editd.running",
      reviews.some((live) => live.review.state === "running"),
    );
    set("editd.canRefine", last !== undefined && last.review.state === "ok");
    set("editd.hasWays", !!last && (hasFailed(last.review) || !!last.review.answer?.ways.length));
  };
  update();
  const updateSoon = soon(update);
  return vscode.Disposable.from(
    updateSoon,
    edits.onDidChange(updateSoon),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.window.tabGroups.onDidChangeTabs(updateSoon),
  );
}
