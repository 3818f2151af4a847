// src/protocol.ts says what editd/frontends/lsp/methods.py says, and the fixtures obey it.

import assert from "node:assert/strict";
import { test } from "node:test";
import ts from "typescript";
import * as protocol from "../../src/protocol";
import { fixture, names, source } from "./fixtures";

const PYTHON = source("editd", "frontends", "lsp", "methods.py");
const TYPES = interfaces(source("clients", "vscode", "src", "protocol.ts"));
const STATS = source("editd", "messages", "reports.py");

test("names of methods are those of methods.py", () => {
  const python = Object.fromEntries(
    [...PYTHON.matchAll(/^([A-Z_]+) = "((?:editd\/|refactor)[^"]*)"/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  delete python["COMPLETE"]; // for programs; this client does not chat
  assert.ok(Object.keys(python).length >= 12);
  for (const [name, value] of Object.entries(python))
    assert.equal((protocol as Record<string, unknown>)[name!], value, name);
  assert.equal(protocol.SCHEMA_VERSION, Number(/^SCHEMA_VERSION = (\d+)/m.exec(PYTHON)![1]));
});

test("every type of methods.py that this client speaks has the same fields", () => {
  const NOT_SPOKEN = ["NoParams", "RunParams", "RunAnswer"]; // commands for editors without a plugin
  const classes = dataclasses(PYTHON);
  assert.ok(classes.size >= 20);
  for (const [name, fields] of classes) {
    if (NOT_SPOKEN.includes(name)) continue;
    const mirrored = TYPES.get(name);
    assert.ok(mirrored, `${name} is missing in protocol.ts`);
    assert.deepEqual([...mirrored.keys()].sort(), fields.map((field) => camel(field)).sort(), name);
  }
});

test("the figures are those of messages/reports.py", () => {
  const stats = dataclasses(STATS).get("Stats")!;
  assert.deepEqual([...TYPES.get("Stats")!.keys()].sort(), [...stats].sort());
});

/** Which type a fixture's params, or its result, have. */
const SPOKEN: Record<string, [params: string | undefined, result?: string]> = {
  accept: ["AcceptParams", "AcceptAnswer"],
  cancel: ["CancelParams", "CancelAnswer"],
  didChangeStatus: ["ServerStatus"],
  edit: ["EditParams", "EditAnswer"],
  editDelta: ["EditDelta"],
  editRebased: ["EditRebased"],
  mentions: ["MentionsParams", "MentionList"],
  presets: [undefined, "PresetList"],
  reject: ["RejectParams", "RejectAnswer"],
  status: [undefined, "ServerStatus"],
  warmup: ["WarmupParams", "WarmupAnswer"],
  workspace: ["WorkspaceParams"],
};

for (const file of names()) {
  const [what] = file.split(".") as [string];
  const spoken = SPOKEN[what];
  if (!spoken) continue; // commands for editors without a plugin
  test(`fixture ${file} has the fields of protocol.ts`, () => {
    const message = fixture(file.replace(/\.json$/, ""));
    if (message.error) {
      assert.equal(typeof message.error.message, "string");
      return;
    }
    if (message.method) assert.ok(Object.values(protocol).includes(message.method as never), message.method);
    const type = message.result ? spoken[1] : spoken[0];
    if (type) conforms(message.result ?? message.params, type, file);
  });
}

test("every kind of message that is spoken has a fixture", () => {
  const kinds = new Set(names().map((name) => name.split(".")[0]!));
  for (const what of Object.keys(SPOKEN)) assert.ok(kinds.has(what), what);
});

function conforms(value: Record<string, unknown>, type: string, where: string): void {
  const fields = TYPES.get(type)!;
  for (const key of Object.keys(value)) assert.ok(fields.has(key), `${where}: ${type} has no ${key}`);
  for (const [key, { optional }] of fields)
    assert.ok(optional || key in value, `${where}: ${type}.${key} is missing`);
  const nested: Record<string, string> = { stats: "Stats" };
  const lists: Record<string, string> = {
    ways: "Way",
    noteSpans: "WireSpan",
    leftOut: "LeftOut",
    presets: "PresetEntry",
    context: "ContextEntry",
  };
  if (type === "EditAnswer") lists["hunks"] = "WireHunk";
  if (type === "EditRebased") lists["hunks"] = "RebasedHunk";
  if (type === "WireHunk") lists["origins"] = "WireOrigin";
  for (const [key, inner] of Object.entries(nested))
    if (key in value) conforms(value[key] as Record<string, unknown>, inner, `${where}.${key}`);
  for (const [key, inner] of Object.entries(lists))
    for (const item of (value[key] as Record<string, unknown>[] | undefined) ?? [])
      conforms(item, inner, `${where}.${key}`);
  for (const op of (value["ops"] as Record<string, unknown>[] | undefined) ?? [])
    if ("hunk" in op) conforms(op["hunk"] as Record<string, unknown>, "WireHunk", `${where}.ops`);
    else conforms(op, "KeepOp", `${where}.ops`);
}

function interfaces(text: string): Map<string, Map<string, { optional: boolean }>> {
  const file = ts.createSourceFile("protocol.ts", text, ts.ScriptTarget.ES2022, true);
  const found = new Map<string, Map<string, { optional: boolean }>>();
  file.forEachChild((node) => {
    if (!ts.isInterfaceDeclaration(node)) return;
    const members = node.members.filter(ts.isPropertySignature);
    found.set(
      node.name.text,
      new Map(members.map((member) => [member.name.getText(file), { optional: !!member.questionToken }])),
    );
  });
  return found;
}

/** The field names of the dataclasses in a Python module. */
function dataclasses(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, name, body] of text.matchAll(/^class (\w+):\n((?:(?: {4}.*)?\n)+)/gm)) {
    const fields = body!.replace(/"""[\s\S]*?"""/, "").matchAll(/^ {4}(\w+): /gm);
    found.set(
      name!,
      [...fields].map(([, field]) => field!),
    );
  }
  return found;
}

function camel(name: string): string {
  return name === "finish_reason"
    ? name
    : name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
