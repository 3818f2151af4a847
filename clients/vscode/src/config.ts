// The settings of this extension, read when they are needed; package.json explains each.

import * as vscode from "vscode";

export interface Settings {
  serverPath: string;
  serverArguments: string[];
  model: string;
  draftModel: string;
  presets: Record<string, string>;
  warmUp: "onInstructionBox" | "never";
  preview: "auto" | "inline" | "diff";
  codeLens: boolean;
  codeActions: boolean;
  installPackage: string;
  installPipArguments: string[];
}

export function settings(): Settings {
  const section = vscode.workspace.getConfiguration("editd");
  const get = <T>(key: string, otherwise: T): T => section.get<T>(key) ?? otherwise;
  return {
    serverPath: get("server.path", "").trim(),
    serverArguments: get("server.arguments", ["lsp"]),
    model: get("model", "").trim(),
    draftModel: get("draftModel", "").trim(),
    presets: get("presets", {}),
    warmUp: get("warmUp", "onInstructionBox"),
    preview: get("preview", "auto"),
    codeLens: get("codeLens", true),
    codeActions: get("codeActions", true),
    installPackage: get("install.package", "editd"),
    installPipArguments: get("install.pipArguments", []),
  };
}

/** How the server is started: one that was started otherwise must be started anew. */
export function programSettings(): string {
  const { serverPath, serverArguments } = settings();
  return JSON.stringify([serverPath, serverArguments]);
}

/** What a server is told, at its start and whenever it changes. */
export function serverSettings(): string {
  const { model, draftModel, presets } = settings();
  return JSON.stringify([model, draftModel, presets]);
}
