// What the user is told when an edit has ended, where the status bar is no place for it. One sentence; the log has the rest.

import * as vscode from "vscode";
import type { LiveEdit } from "./edit";
import { CHOOSE_MODEL, isAboutModel } from "./editor-words";
import type { Log } from "./log";
import type { EditAnswer } from "./protocol";

export async function tellEnd(live: LiveEdit | undefined, answer: EditAnswer, log: Log): Promise<void> {
  answer.notices.forEach((notice) => log.info(notice));
  answer.suspects.forEach((suspect) => log.warn(suspect));
  if (answer.status === "cancelled") return; // the status bar says it
  if (answer.status === "failed") {
    log.warn(`${answer.code ?? "failed"}: ${answer.message ?? ""}`);
    const again = answer.ways.length ? "Another Way…" : "Try Again";
    const show = "Show Log";
    const other = CHOOSE_MODEL;
    const sentence = answer.message ?? "The edit failed.";
    const message = `editd: ${sentence}`;
    const buttons = isAboutModel(sentence) ? [other, again] : [again];
    // A refusal is an answer, not a breakdown.
    const chosen =
      answer.finish_reason === "refused"
        ? await vscode.window.showInformationMessage(message, ...buttons)
        : await vscode.window.showErrorMessage(message, ...buttons, show);
    if (chosen === other) await vscode.commands.executeCommand("editd.chooseModel");
    if (chosen === again && live) await vscode.commands.executeCommand("editd.anotherWay", live.document.uri);
    if (chosen === show) log.show();
    return;
  }
  if (!answer.hunks.length) {
    const why = [answer.summary || "The model left the text as it is.", ...answer.notices].join(" ");
    void vscode.window.showInformationMessage(`editd: ${why}`);
    return;
  }
  const doubted = answer.hunks.filter((hunk) => hunk.suspect).length;
  if (doubted) {
    const go = "Go to It";
    const what = doubted === 1 ? "One hunk looks doubtful" : `${doubted} hunks look doubtful`;
    const chosen = await vscode.window.showWarningMessage(
      `editd: ${what} and will be left out of Accept All. ${answer.suspects[0] ?? ""}`,
      go,
    );
    if (chosen === go) await vscode.commands.executeCommand("editd.nextHunk");
  }
}
