// The log of this extension and of its server: an output channel of VS Code, with levels.

import * as vscode from "vscode";

export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel("editd", { log: true });
}

/** One sentence for any thrown value. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
