// What the server is asked for an edit.

import * as vscode from "vscode";
import type { Client } from "./client";
import type { LiveEdit } from "./edit";
import type * as protocol from "./protocol";
import { overlap, type Lines } from "./track";

const MAX_DIAGNOSTICS = 20;

/** Of the *fix* preset the problems in those lines go with it. */
export function editParams(client: Client, { review, document, ask }: LiveEdit): protocol.EditParams {
  const textDocument = { uri: client.uriOf(document), version: document.version };
  return {
    editToken: review.token,
    instruction: ask.instruction,
    ...(ask.preset && { preset: ask.preset }),
    ...(ask.sketch !== undefined && { sketch: ask.sketch }),
    textDocument,
    ...(ask.lines && { range: wholeLines(document, ask.lines) }),
    ...(ask.basedOn !== undefined && { basedOn: ask.basedOn }),
    ...(ask.way && { options: { way: ask.way } }),
    context: ask.preset === "fix" ? diagnostics(document, ask.lines, textDocument.uri) : [],
  };
}

function diagnostics(
  document: vscode.TextDocument,
  lines: Lines | undefined,
  uri: string,
): protocol.ContextEntry[] {
  const scope = lines ?? { start: 0, end: document.lineCount };
  return vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ range }) => overlap(scope, { start: range.start.line, end: range.end.line + 1 }))
    .slice(0, MAX_DIAGNOSTICS)
    .map(({ message, source, range }) => ({
      kind: "diagnostic",
      text: source ? `${source}: ${message}` : message,
      uri,
      range: { start: plain(range.start), end: plain(range.end) },
    }));
}

function wholeLines(
  document: vscode.TextDocument,
  { start, end }: Lines,
): protocol.ContextEntry["range"] & object {
  const last = document.lineAt(Math.min(Math.max(end - 1, start), document.lineCount - 1));
  return { start: { line: start, character: 0 }, end: plain(last.range.end) };
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
