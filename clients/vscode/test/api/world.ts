// What the API tests share: documents, the daemon with its script, waiting for what the extension shows.

import { spawn, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { LiveHunk } from "../../src/edit";
import type { Api } from "../../src/extension";

export let api: Api;

export async function activate(): Promise<Api> {
  const extension = vscode.extensions.getExtension<Api>("editd.editd");
  if (!extension) throw new Error("the extension is not there");
  return (api = await extension.activate());
}

let daemon: ChildProcess | undefined;

/** Ends the daemon and starts one with another script; see tests/fakes.py. */
export async function script(fields: Record<string, unknown>): Promise<void> {
  await killDaemon();
  const settings = { build: "", daemon: {}, limits: {}, script: fields };
  daemon = spawn(
    process.env["EDITD_TEST_PYTHON"]!,
    [process.env["EDITD_TEST_FAKES"]!, JSON.stringify(settings)],
    {
      stdio: "ignore",
    },
  );
  const folder = process.env["EDITD_RUNTIME_DIR"]!;
  await until(() => fs.readdirSync(folder).some((name) => name.endsWith(".sock")), "the daemon");
}

export async function killDaemon(): Promise<void> {
  if (!daemon) return;
  const ended = new Promise((resolve) => daemon!.once("exit", resolve));
  daemon.kill("SIGKILL");
  await ended;
  daemon = undefined;
  const folder = process.env["EDITD_RUNTIME_DIR"]!;
  for (const name of fs.readdirSync(folder)) if (name.endsWith(".sock")) fs.rmSync(path.join(folder, name));
}

let count = 0;

/** A new file, open in an editor. */
export async function open(text: string): Promise<vscode.TextEditor> {
  const folder = vscode.workspace.workspaceFolders![0]!.uri;
  const uri = vscode.Uri.joinPath(folder, `t${++count}.txt`);
  fs.writeFileSync(uri.fsPath, text);
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
}

export function lines(total: number): string {
  return Array.from({ length: total }, (_, index) => `line ${index}\n`).join("");
}

/** Starts `editd.rewrite`; resolves when the edit has ended. */
export function rewrite(instruction = "Write it in capitals."): Promise<void> {
  return vscode.commands.executeCommand("editd.rewrite", { instruction }) as Promise<void>;
}

export function hunks(editor: vscode.TextEditor): LiveHunk[] {
  return api.edits.hunksOf(editor.document.uri);
}

/** Until the extension shows what `holds` asks for; follows its events and does not poll. */
export function shown(holds: () => boolean, what: string, seconds = 60): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(new Error(`waited in vain for ${what}`)), 1000 * seconds);
    const subscription = api.edits.onDidChange(look);
    function finish(error?: Error): void {
      clearTimeout(timer);
      subscription.dispose();
      if (error) reject(error);
      else resolve();
    }
    function look(): void {
      if (holds()) finish();
    }
    look();
  });
}

export async function until(holds: () => unknown, what: string, seconds = 60): Promise<void> {
  for (const deadline = Date.now() + 1000 * seconds; !(await holds());) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const run = (command: string, ...args: unknown[]): Thenable<any> =>
  vscode.commands.executeCommand(command, ...args);
