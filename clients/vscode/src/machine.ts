// This machine, as the decisions about the server want to know it.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Machine } from "./find-server";

export async function thisMachine(context: vscode.ExtensionContext): Promise<Machine> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    platform: process.platform,
    searchPath: process.env["PATH"] ?? "",
    home: os.homedir(),
    pythonInterpreter: vscode.workspace.isTrusted ? await chosenInterpreter() : undefined,
    workspaceFolders: folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
    isTrusted: vscode.workspace.isTrusted,
    ownEnvironment: path.join(context.globalStorageUri.fsPath, "server"),
    isProgram,
  };
}

/** Whether an NVIDIA driver is at work: then the usual build of PyTorch is the right one. */
export function hasNvidia(): boolean {
  return (
    fs.existsSync("/proc/driver/nvidia/version") ||
    fs.existsSync("/dev/nvidiactl") ||
    fs.existsSync("/dev/dxg") || // in WSL the driver belongs to Windows
    (process.env["PATH"] ?? "")
      .split(path.delimiter)
      .some((folder) => path.isAbsolute(folder) && isProgram(path.join(folder, "nvidia-smi")))
  );
}

export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The part of the Python extension's interface that is used here. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

async function chosenInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension) return undefined;
  try {
    const { environments } = await extension.activate();
    const active = environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const resolved = active && (await environments?.resolveEnvironment(active));
    return resolved?.executable.uri?.fsPath;
  } catch {
    return undefined; // the next place is tried
  }
}
