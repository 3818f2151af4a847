// Which model to use: asks the user, and follows editd's own configuration file.

import * as path from "node:path";
import * as vscode from "vscode";
import type { Client } from "./client";
import { settings } from "./config";
import { modelChoices } from "./model-choices";
import { debounced } from "./soon";

export async function chooseModel(client: Client): Promise<void> {
  const { model } = settings();
  const items = client.run(["models", "list", "--json"]).then((json) => modelChoices(json, model));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "editd: choose a model",
    placeHolder: "Models on this machine, those of Ollama and LM Studio too",
    matchOnDescription: true,
  });
  if (!chosen) return;
  const value = chosen.model ?? (await browse());
  if (value === undefined) return;
  const section = vscode.workspace.getConfiguration("editd");
  await section.update("model", value || undefined, vscode.ConfigurationTarget.Global);
}

async function browse(): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({
    title: "A model as a GGUF file",
    openLabel: "Use This Model",
    filters: { GGUF: ["gguf"] },
  });
  return files?.[0]?.fsPath;
}

/** Calls `changed` whenever editd's configuration file, which other programs write as well, has become another. */
export async function followConfiguration(client: Client, changed: () => void): Promise<vscode.Disposable> {
  const file = (await client.run(["config", "path"])).trim();
  const pattern = new vscode.RelativePattern(vscode.Uri.file(path.dirname(file)), path.basename(file));
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  const changedSoon = debounced(changed, 500); // an editor may write it in steps
  return vscode.Disposable.from(
    watcher,
    changedSoon,
    watcher.onDidChange(changedSoon),
    watcher.onDidCreate(changedSoon),
    watcher.onDidDelete(changedSoon),
  );
}
