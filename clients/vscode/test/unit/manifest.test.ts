// package.json and the code agree.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { REPOSITORY, source } from "./fixtures";

const FOLDER = path.join(REPOSITORY, "clients", "vscode");
const manifest = JSON.parse(source("clients", "vscode", "package.json"));
const sources = fs
  .readdirSync(path.join(FOLDER, "src"))
  .map((name) => [name, source("clients", "vscode", "src", name)] as const);
const code = sources.map(([, text]) => text).join("\n");
const commands: string[] = manifest.contributes.commands.map(({ command }: { command: string }) => command);

test("every command of the manifest is registered, and every key and menu names one", () => {
  const registered = source("clients", "vscode", "src", "commands.ts");
  for (const command of commands) assert.ok(registered.includes(`"${command}":`), command);
  const used = [
    ...manifest.contributes.keybindings,
    ...Object.values<any[]>(manifest.contributes.menus).flat(),
  ].flatMap(({ command }) => (command ? [command] : []));
  for (const command of used) assert.ok(commands.includes(command), command);
});

test("commands are not called as those that the server registers", () => {
  const python = source("editd", "frontends", "lsp", "methods.py");
  const server = [...python.matchAll(/"(editd\.\w+)"/g)].map(([, id]) => id!);
  assert.ok(server.length >= 2);
  for (const id of server) assert.ok(!commands.includes(id), id);
});

test("every setting is read, and every setting that is read is declared", () => {
  const declared = Object.keys(manifest.contributes.configuration.properties);
  const read = [...source("clients", "vscode", "src", "config.ts").matchAll(/get\("([\w.]+)"/g)].map(
    ([, key]) => `editd.${key}`,
  );
  assert.deepEqual([...read, "editd.trace.server"].sort(), declared.sort());
  for (const property of Object.values<any>(manifest.contributes.configuration.properties))
    assert.ok(property.description ?? property.markdownDescription);
});

test("what names a program, a model or a package is not taken from a workspace", () => {
  const { properties } = manifest.contributes.configuration;
  const machineScoped = Object.keys(properties).filter((key) => properties[key].scope === "machine");
  assert.deepEqual(machineScoped.sort(), [
    "editd.draftModel",
    "editd.install.package",
    "editd.install.pipArguments",
    "editd.model",
    "editd.server.arguments",
    "editd.server.path",
  ]);
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const key of machineScoped) assert.ok(restricted.includes(key), key);
});

test("colours in the code are declared", () => {
  const declared = manifest.contributes.colors.map(({ id }: { id: string }) => id);
  const used = [...code.matchAll(/color\("(\w+)"\)/g)].map(([, name]) => `editd.${name}`);
  assert.ok(used.length);
  assert.deepEqual([...new Set(used)].sort(), declared.sort());
});

test("every file is about the size of one idea", () => {
  for (const [name, text] of sources) assert.ok(text.split("\n").length <= 300, name);
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(source("clients", "vscode", "package-lock.json"), /"resolved"|https?:\/\/[^"]*\.tgz/);
});

test("files that the manifest names exist", () => {
  const named = [
    manifest.icon,
    ...manifest.contributes.walkthroughs[0].steps.map((step: any) => step.media.markdown),
  ];
  for (const file of named) assert.ok(fs.existsSync(path.join(FOLDER, file)), file);
});
