// Activation: makes the parts and connects them. Nothing is decided here.

import * as vscode from "vscode";
import { Actions } from "./actions";
import { Asker } from "./ask";
import { followConfiguration } from "./choose-model";
import { Client, SELECTOR } from "./client";
import { registerCommands } from "./commands";
import { keepContexts } from "./contexts";
import { Decisions } from "./decide";
import { Edges } from "./edge";
import { Edits } from "./edit";
import { Hovers } from "./hover";
import { Lenses } from "./lens";
import { createLog, sentence } from "./log";
import { Preview } from "./preview";
import { Problems } from "./problems";
import { paintProposals } from "./proposal-marks";
import { PROPOSAL_SCHEME } from "./proposal-uri";
import { ProposalView } from "./proposal-view";
import { StatusBar } from "./status";

/** For other extensions, and for tests. */
export interface Api {
  edits: Edits;
  client: Client;
}

let running: Client | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = createLog();
  const client = (running = new Client(context, log));
  const edits = new Edits(client, log);
  const preview = new Preview(edits); // first to hear of a hunk: it is what people wait for
  const asker = new Asker(context, client, log);
  const actions = new Actions();
  const status = new StatusBar(client, edits);
  const proposals = new ProposalView(edits);
  const lenses = new Lenses(edits, proposals);
  const problems = new Problems();
  const decisions = new Decisions(edits, client, proposals, problems);
  const shown = [...SELECTOR, { scheme: PROPOSAL_SCHEME }];

  context.subscriptions.push(
    log,
    client,
    edits,
    status,
    lenses,
    problems,
    proposals,
    preview,
    paintProposals(edits, proposals),
    new Edges(edits, proposals),
    keepContexts(edits, proposals),
    vscode.languages.registerCodeLensProvider(shown, lenses),
    vscode.languages.registerHoverProvider(shown, new Hovers(edits, proposals)),
    vscode.languages.registerCodeActionsProvider(SELECTOR, actions, Actions.metadata),
    ...registerCommands({ context, log, client, edits, asker, decisions, proposals, status }),
    client.onDidChangeState((state) => state === "running" && learnPresets()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      // Trust and profiles tell of changes that change nothing, and hunks that wait would be dropped.
      if (!change.affectsConfiguration("editd")) return;
      if (client.isOutdated) void vscode.commands.executeCommand("editd.restartServer");
      else if (client.hasOldSettings) tellSettings();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void (client.isRunning ? client.tellTrusted() : startQuietly());
    }),
  );

  function learnPresets(): void {
    asker.presets().then(
      (presets) => (actions.presets = presets),
      (error: unknown) => log.warn(`presets: ${sentence(error)}`),
    );
  }

  /** Edits that run go on as they began, and hunks that wait stay. */
  function tellSettings(): void {
    client.tellSettings().then(learnPresets, (error: unknown) => log.warn(sentence(error)));
  }

  /** Without a word to the user, who has not asked for anything yet. */
  async function startQuietly(): Promise<void> {
    if ((await client.find()).kind === "missing") status.missing();
    else await client.start().catch((error: unknown) => log.warn(sentence(error)));
  }
  void startQuietly();

  const started = client.onDidChangeState((state) => {
    if (state !== "running") return;
    started.dispose();
    followConfiguration(client, tellSettings).then(
      (following) => context.subscriptions.push(following),
      (error: unknown) => log.warn(`configuration: ${sentence(error)}`),
    );
  });
  return { edits, client };
}

/** VS Code waits for this, so that the server can say goodbye to the daemon. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}
