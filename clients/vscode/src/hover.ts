// The hover of a hunk: why it is doubted, its whole text, and where that came from.

import * as vscode from "vscode";
import type { Edits, LiveHunk } from "./edit";
import { provenance } from "./figures";
import { bare } from "./lines";
import { escape } from "./markdown";
import { originsInWords } from "./origins";
import type { WireSpan } from "./protocol";
import type { ProposalView } from "./proposal-view";
import { hunkAt } from "./review";

export class Hovers implements vscode.HoverProvider {
  constructor(
    private readonly edits: Edits,
    private readonly proposals: ProposalView,
  ) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const placed = this.proposals.hunksIn(document.uri);
    const hunks = placed?.map(({ hunk }) => hunk) ?? this.edits.hunksOf(document.uri);
    const hunk = placed ? this.proposals.hunkAt(document.uri, position.line) : hunkAt(hunks, position.line);
    if (!hunk) return undefined;
    const { languageId } = hunk.live.document;
    return new vscode.Hover(describe(hunk, hunks.indexOf(hunk), hunks.length, languageId));
  }
}

function describe(hunk: LiveHunk, index: number, count: number, language: string): vscode.MarkdownString {
  const { live } = hunk;
  const text = new vscode.MarkdownString("", true);
  text.isTrusted = { enabledCommands: ["editd.acceptHunk", "editd.rejectHunk"] };
  const asked = escape(
    live.ask.instruction || live.ask.preset || (live.ask.sketch === undefined ? "" : "applied"),
  );
  text.appendMarkdown(`**editd** hunk ${index + 1} of ${count}\u2003${asked}\n\n`);
  if (hunk.state === "stale")
    text.appendMarkdown("$(circle-slash) The text under it has changed; it can no longer be accepted.\n\n");
  if (hunk.suspect) text.appendMarkdown(`$(warning) ${escape(hunk.suspect)}\n\n`);
  for (const note of new Set([hunk.note, ...(hunk.noteSpans ?? []).map(spanInWords(hunk))]))
    if (note && note !== hunk.suspect) text.appendMarkdown(`$(info) ${escape(note)}\n\n`);
  if (hunk.newLines.length) text.appendCodeblock(hunk.newLines.map(bare).join("\n"), language);
  else text.appendMarkdown(`Removes ${hunk.oldCount} ${hunk.oldCount === 1 ? "line" : "lines"}.\n\n`);
  text.appendMarkdown(`${originsInWords(hunk, (path, line) => address(live.document, path, line))}\n\n`);
  const { answer } = live.review;
  // What it was computed or merged from is in the summary, where there is one.
  if (answer) text.appendMarkdown(`${answer.summary ? escape(answer.summary) : provenance(answer)}\n\n`);
  if (hunk.state === "ok" && hunk.done) text.appendMarkdown(links(hunk));
  return text;
}

function spanInWords({ newLines }: LiveHunk): (span: WireSpan) => string {
  return ({ line, start, end, text }) => `${bare(newLines[line] ?? "").slice(start, end)}: ${text}`;
}

/** Of a line in a file that the server names by its path in the document's project. */
function address(document: vscode.TextDocument, path: string, line: number): string | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  if (!folder || path.split(/[\\/]/).includes("..")) return undefined;
  return vscode.Uri.joinPath(folder.uri, path)
    .with({ fragment: `L${line}` })
    .toString();
}

function links(hunk: LiveHunk): string {
  const names = encodeURIComponent(JSON.stringify([hunk.live.review.token, hunk.id]));
  return `[$(check) Accept](command:editd.acceptHunk?${names})\u2003[$(close) Reject](command:editd.rejectHunk?${names})`;
}
