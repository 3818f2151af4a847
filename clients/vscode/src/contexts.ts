// What `when` clauses of keys and menus ask about the active editor.
//
// Keys ask for `editd.canDecide`, `editd.opening` and `editd.running`, which are set at once: a key may be pressed as
// soon as a hunk is in sight, or while the focus is on its way to the proposal. What is being refined is in sight, too:
// a key that is about it has its answer. Menus ask for the others, which come a moment later.

import * as vscode from "vscode";
import type { Edits, LiveHunk } from "./edit";
import type { ProposalView } from "./proposal-view";
import { hasFailed } from "./review";
import { soon } from "./soon";

export function keepContexts(edits: Edits, proposals: ProposalView): vscode.Disposable {
  const told = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (told.get(key) === value) return;
    told.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const here = (): vscode.Uri | undefined => (proposals.opening ?? edits.here())?.uri;
  const hunksHere = (): LiveHunk[] => {
    const uri = here();
    return uri ? edits.hunksOf(uri) : [];
  };
  const updateKeys = (): void => {
    set("editd.canDecide", hunksHere().length > 0);
    set("editd.opening", proposals.opening !== undefined);
    const uri = here();
    set("editd.running", uri !== undefined && edits.of(uri).some(({ review }) => review.state === "running"));
  };
  const updateMenus = (): void => {
    const uri = here();
    const last = uri && edits.lastOf(uri);
    set(
      "editd.hasPending",
      hunksHere().some(({ isDimmed }) => !isDimmed),
    );
    set("editd.canRefine", uri !== undefined && edits.refinable(uri) !== undefined);
    set("editd.hasWays", !!last && (hasFailed(last.review) || !!last.review.answer?.ways.length));
  };
  const updateSoon = soon(updateMenus);
  const update = (): void => {
    updateKeys();
    updateSoon();
  };
  updateKeys();
  updateMenus();
  return vscode.Disposable.from(
    updateSoon,
    edits.onDidChange(update),
    proposals.onDidChangeOpening(update),
    vscode.window.onDidChangeActiveTextEditor(() => {
      updateKeys();
      updateMenus();
    }),
    vscode.window.tabGroups.onDidChangeTabs(update),
  );
}
