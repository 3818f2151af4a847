// Finds, starts and restarts the language server, and speaks with it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import {
  LanguageClient,
  State,
  type LanguageClientOptions,
  type ServerOptions,
} from "vscode-languageclient/node";
import { programSettings, serverSettings, settings } from "./config";
import { findServer, type Found } from "./find-server";
import { sentence, type Log } from "./log";
import { thisMachine } from "./machine";
import * as protocol from "./protocol";
import { initializationOptions } from "./server-options";

/** Documents that can be rewritten. */
export const SELECTOR = ["file", "untitled", "vscode-userdata", "vscode-vfs"].map((scheme) => ({ scheme }));

export class ServerMissing extends Error {}

export class Client implements vscode.Disposable {
  private language: LanguageClient | undefined;
  private starting: Promise<LanguageClient> | undefined;
  private readonly changed = new vscode.EventEmitter<"starting" | "running" | "stopped">();
  private readonly handlers = new Map<string, (params: any) => void>();

  readonly onDidChangeState = this.changed.event;
  /** There was no server when one was last looked for. */
  isMissing = false;
  private startedWith = "";
  private toldSettings = "";

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: Log,
  ) {}

  /** Handle a notification of every server that is started from now on. */
  onNotification<T>(method: string, handler: (params: T) => void): void {
    this.handlers.set(method, handler);
  }

  /** Ask the server, which is started if need be. Rejects with `ServerMissing` where there is none. */
  async request<Answer>(method: string, params: object, token?: vscode.CancellationToken): Promise<Answer> {
    const client = await this.start();
    return token
      ? client.sendRequest<Answer>(method, params, token)
      : client.sendRequest<Answer>(method, params);
  }

  /** Tell the server that the folders of this window are trusted now; one that starts later learns it then. */
  async tellTrusted(): Promise<void> {
    if (this.isRunning) await this.language!.sendNotification(protocol.WORKSPACE, trust());
  }

  /** Tell the server what is set now, which makes it read its configuration file anew as well. */
  async tellSettings(): Promise<void> {
    if (!this.isRunning) return;
    this.toldSettings = serverSettings();
    const editd = initializationOptions(settings(), trust());
    await this.language!.sendNotification("workspace/didChangeConfiguration", { settings: { editd } });
  }

  get isRunning(): boolean {
    return this.language?.state === State.Running;
  }

  /** Whether it was started, or looked for, with other settings than there are now. */
  get isOutdated(): boolean {
    return this.startedWith !== programSettings();
  }

  /** Whether it works with other settings than there are now. */
  get hasOldSettings(): boolean {
    return this.toldSettings !== serverSettings();
  }

  /** How the server calls a document. */
  uriOf(document: vscode.TextDocument): string {
    return this.language!.code2ProtocolConverter.asUri(document.uri);
  }

  start(): Promise<LanguageClient> {
    this.starting ??= this.launch().catch((error: unknown) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    const { language } = this;
    this.language = this.starting = undefined;
    if (language) this.changed.fire("stopped");
    try {
      await language?.dispose();
    } catch (error) {
      this.log.warn(`stop: ${sentence(error)}`);
    }
  }

  /** What `editd` prints, run with these arguments. Rejects with `ServerMissing` where there is no program. */
  async run(args: readonly string[]): Promise<string> {
    const found = await this.find();
    if (found.kind !== "found") throw new ServerMissing("editd was not found on this machine.");
    const { serverArguments } = settings();
    // What stands before `lsp` says how the program is run at all.
    const before = serverArguments.slice(0, Math.max(serverArguments.indexOf("lsp"), 0));
    const { stdout } = await promisify(execFile)(found.program, [...before, ...args], { maxBuffer: 1 << 24 });
    return stdout;
  }

  async find(): Promise<Found> {
    this.startedWith = programSettings();
    const found = findServer(settings().serverPath, await thisMachine(this.context));
    this.isMissing = found.kind === "missing";
    return found;
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
  }

  private async launch(): Promise<LanguageClient> {
    const chosen = settings();
    const found = await this.find();
    if (found.kind === "broken-setting")
      throw new Error(`The setting editd.server.path names ${found.program}, which is not a program.`);
    if (found.kind === "missing") throw new ServerMissing("editd was not found on this machine.");
    this.toldSettings = serverSettings();
    this.log.info(`server: ${found.program} (${found.origin})`);
    const server: ServerOptions = { command: found.program, args: chosen.serverArguments };
    const client = new LanguageClient("editd", "editd", server, this.options());
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        // Wants editd's own notifications from the start.
        capabilities.experimental = { ...(capabilities.experimental as object), editd: {} };
      },
      initialize: () => {},
      getState: () => ({ kind: "static" }),
      clear: () => {},
    });
    for (const [method, handler] of this.handlers) client.onNotification(method, handler);
    client.onDidChangeState(({ newState }) => {
      if (client !== this.language) return;
      if (newState === State.Starting) this.changed.fire("starting");
      if (newState === State.Running) this.changed.fire("running");
      if (newState === State.Stopped) this.changed.fire("stopped");
    });
    this.language = client;
    await client.start();
    this.checkSchema(client);
    return client;
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      initializationOptions: initializationOptions(settings(), trust()),
      diagnosticCollectionName: "editd",
    };
  }

  /** Client and server are installed apart from each other. */
  private checkSchema(client: LanguageClient): void {
    const experimental = client.initializeResult?.capabilities.experimental as
      { editd?: { schemaVersion?: number } } | undefined;
    const version = experimental?.editd?.schemaVersion;
    if (version !== protocol.SCHEMA_VERSION) {
      const newer = version !== undefined && version > protocol.SCHEMA_VERSION;
      void vscode.window.showWarningMessage(
        newer
          ? "The editd program is newer than this extension: update the extension."
          : "The editd program is older than this extension: update editd.",
      );
    }
  }
}

/** VS Code's trust is about a window, with all folders that it has or gets. */
function trust(): protocol.WorkspaceParams {
  return { trusted: vscode.workspace.isTrusted };
}
