// Asks which of the models on this machine to use, and writes the setting, which restarts the server.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { ServerMissing, type Client } from "./client";
import { settings } from "./config";
import { modelChoices } from "./model-choices";

export async function chooseModel(client: Client): Promise<void> {
  const found = await client.find();
  if (found.kind !== "found") throw new ServerMissing("editd was not found on this machine.");
  const { serverArguments, model } = settings();
  // What stands before `lsp` says how the program is run at all.
  const before = serverArguments.slice(0, Math.max(serverArguments.indexOf("lsp"), 0));
  const listed = promisify(execFile)(found.program, [...before, "models", "list", "--json"], {
    maxBuffer: 1 << 24,
  });
  const items = listed.then(({ stdout }) => modelChoices(stdout, model));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: "Models on this machine, those of Ollama and LM Studio too",
    matchOnDescription: true,
  });
  if (!chosen) return;
  const value = chosen.model || undefined;
  await vscode.workspace.getConfiguration("editd").update("model", value, vscode.ConfigurationTarget.Global);
}
