// The table of commands: id → what is done. Errors end here, as one sentence for the user.

import * as vscode from "vscode";
import { copied, selected, show, target } from "./apply";
import { selectedLines, type Asker } from "./ask";
import { chooseModel } from "./choose-model";
import { ServerMissing, type Client } from "./client";
import type { Decisions } from "./decide";
import type { Ask, Edits } from "./edit";
import { sentence, type Log } from "./log";
import { installServer, offerInstall } from "./offer-install";
import type { ProposalView } from "./proposal-view";
import type { EditToken, Way } from "./protocol";
import { offerCopy, refusal } from "./refusal";
import { hasFailed } from "./review";
import { showStatus, type StatusBar } from "./status";
import { tellEnd } from "./tell";
import type { Lines } from "./track";

export interface Parts {
  context: vscode.ExtensionContext;
  log: Log;
  client: Client;
  edits: Edits;
  asker: Asker;
  decisions: Decisions;
  proposals: ProposalView;
  status: StatusBar;
}

/** What a key or another extension may give to the commands that begin an edit. */
interface Given {
  instruction?: string;
  /** Of the apply commands: instead of what was copied or is selected. */
  sketch?: string;
  /** Of `editd.applySelectionTo`: the file that it is for. */
  uri?: vscode.Uri;
  preset?: string;
  start?: number;
  end?: number;
  /** Of a key: the editor takes no text. */
  isReadOnly?: boolean;
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { context, log, client, edits, asker, decisions, proposals, status } = parts;

  const table: Record<string, (...args: never[]) => unknown> = {
    "editd.rewrite": (given?: Given) =>
      rewrite(parts, given, (document, lines) =>
        given?.instruction
          ? {
              instruction: given.instruction,
              ...(given.preset && { preset: given.preset }),
              ...(lines && { lines }),
            }
          : asker.instruction(document, lines, "editd: rewrite"),
      ),
    "editd.rewriteWithPreset": (given?: Given) =>
      rewrite(parts, given, (document, lines) =>
        given?.preset
          ? { instruction: given.instruction ?? "", preset: given.preset, ...(lines && { lines }) }
          : asker.preset(document, lines),
      ),
    "editd.applyClipboard": async (given?: Given) => {
      const sketch = given?.sketch ?? (await copied());
      if (sketch !== undefined) await rewrite(parts, given, () => sketched(sketch, given));
    },
    "editd.applySelectionTo": async (given?: Given) => {
      const editor = vscode.window.activeTextEditor;
      const sketch = given?.sketch ?? (editor && selected(editor));
      if (!sketch?.trim() || !editor) {
        void vscode.window.showInformationMessage(
          "editd: Select the change, or open the file that contains it, first.",
        );
        return;
      }
      const document = await (given?.uri ? show(given.uri) : target(editor.document));
      if (document) await run(parts, document, sketched(sketch, given));
    },
    "editd.refine": async () => {
      const document = edits.here();
      const last = document && edits.refinable(document.uri);
      if (!last) return;
      const ask = await asker.instruction(last.document, last.ask.lines, "editd: what should be different?");
      if (ask) await run(parts, last.document, { ...ask, basedOn: last.review.token });
    },
    "editd.anotherWay": async (uri?: vscode.Uri, name?: Way["name"]) => {
      const last = lastEdit(edits, uri);
      if (!last) return;
      const ways = last.review.answer?.ways ?? [];
      if (hasFailed(last.review) && !ways.length) return run(parts, last.document, last.ask);
      const way = await chosenWay(ways, name);
      if (!way) return;
      await run(parts, last.document, { ...last.ask, way });
    },
    "editd.acceptHunk": (token?: EditToken, id?: number) => decisions.acceptHunk(token, id),
    "editd.rejectHunk": (token?: EditToken, id?: number) => decisions.rejectHunk(token, id),
    "editd.acceptAll": () => decisions.acceptAll(),
    "editd.rejectAll": () => decisions.rejectAll(),
    "editd.nextHunk": () => decisions.go("next"),
    "editd.previousHunk": () => decisions.go("previous"),
    "editd.openDiff": async () => {
      const document = edits.here();
      if (document && edits.of(document.uri).length) await proposals.open(document, true);
    },
    "editd.closeProposal": async () => {
      const document = edits.here();
      if (document) await proposals.close(document);
    },
    "editd.undoInFile": () => inFile("undo"),
    "editd.redoInFile": () => inFile("redo"),
    "editd.recallBack": () => asker.recall("back"),
    "editd.recallForward": () => asker.recall("forward"),
    "editd.cancelEdit": async () => {
      const document = edits.here();
      const here = document ? edits.of(document.uri) : [];
      for (const live of here.length ? here : edits.all()) await edits.cancel(live);
    },
    "editd.chooseModel": () => chooseModel(client),
    "editd.showStatus": () => showStatus(client),
    "editd.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:editd.editd"),
    "editd.restartServer": () => client.restart(),
    "editd.installServer": async () => {
      if (await installServer(context, log)) await client.restart();
    },
    "editd.showLog": () => log.show(),
  };

  return Object.entries(table).map(([id, action]) =>
    vscode.commands.registerCommand(id, (...args: never[]) => attempt(() => action(...args))),
  );

  /** Runs a command; where there is no server, offers one and tries again. */
  async function attempt(action: () => unknown): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (error instanceof ServerMissing) {
        status.missing();
        if (await offerInstall(context, log)) await attempt(action);
        return;
      }
      log.error(sentence(error));
      const show = "Show Log";
      const chosen = await vscode.window.showErrorMessage(`editd: ${sentence(error)}`, show);
      if (chosen === show) log.show();
    }
  }
}

/** From a proposal, in which nothing can be undone, in the file beside it; the focus comes back. */
async function inFile(command: "undo" | "redo"): Promise<void> {
  for (const step of [`${COMPARE}.focusSecondarySide`, command, `${COMPARE}.focusPrimarySide`])
    await vscode.commands.executeCommand(step);
}

const COMPARE = "workbench.action.compareEditor";

async function rewrite(
  parts: Parts,
  given: Given | undefined,
  ask: (
    document: vscode.TextDocument,
    lines: Lines | undefined,
  ) => Ask | undefined | Promise<Ask | undefined>,
): Promise<void> {
  const document = parts.edits.here();
  if (!document) {
    void vscode.window.showInformationMessage("editd: Open a file to rewrite it with editd.");
    return;
  }
  const sentence = await refusal(document, given?.isReadOnly);
  if (sentence) {
    void offerCopy(document, sentence);
    return;
  }
  // A running server is not waited for: what is typed meanwhile would go into the file.
  const starting = parts.client.start();
  if (parts.client.isMissing) await starting;
  else starting.catch(() => {}); // the edit will say it
  const lines =
    given?.start !== undefined && given.end !== undefined
      ? { start: given.start, end: given.end }
      : selectedLines(vscode.window.activeTextEditor, document);
  const asked = await ask(document, lines);
  if (asked) await run(parts, document, asked);
}

/** All of the file may change: a sketch says itself where it belongs. */
function sketched(sketch: string, given: Given | undefined): Ask {
  return { instruction: given?.instruction ?? "", sketch };
}

async function run({ edits, status, log }: Parts, document: vscode.TextDocument, ask: Ask): Promise<void> {
  const answer = await edits.start(document, ask);
  status.answered(document, answer);
  // The command is done when the edit is; what the user says to the message is another matter.
  void tellEnd(edits.lastOf(document.uri), answer, log);
}

/** The way that is named, the only one that there is, or the one that the user chooses. */
async function chosenWay(
  all: readonly Way[],
  name: Way["name"] | undefined,
): Promise<Way["name"] | undefined> {
  const ways = all.filter((way) => name === undefined || way.name === name);
  if (!ways.length) {
    void vscode.window.showInformationMessage("editd: There is no other way to this edit.");
    return undefined;
  }
  if (ways.length === 1) return ways[0]!.name;
  const items = ways.map(({ name, title, needsModel }) => ({
    label: title,
    ...(!needsModel && { description: "without a model" }),
    name,
  }));
  return (await vscode.window.showQuickPick(items, { title: "editd: another way" }))?.name;
}

function lastEdit(edits: Edits, uri?: vscode.Uri): ReturnType<Edits["lastOf"]> {
  const document = uri ? { uri } : edits.here();
  return document && edits.lastOf(document.uri);
}
