// What the extension does, asked of a real VS Code. The engine is scripted: it writes each line in
// capitals, one at a time, so that there is time to do something meanwhile.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import * as protocol from "../../src/protocol";
import { activate, api, hunks, killDaemon, lines, open, rewrite, run, script, shown } from "./world";

export const tests: [string, () => Promise<void>][] = [];
const test = (name: string, body: () => Promise<void>): unknown => tests.push([name, body]);

const SLOW = { unit_seconds: 0.08 };
const AT_ONCE = { lines_per_unit: 1, prefill_units: 0 };

test("the extension activates and has its commands", async () => {
  await activate();
  const known = await vscode.commands.getCommands(true);
  const manifest = vscode.extensions.getExtension("editd.editd")!.packageJSON;
  for (const { command } of manifest.contributes.commands) assert.ok(known.includes(command), command);
});

test("keys take nothing from VS Code that works in an editor", async () => {
  const uri = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
  const text = (await vscode.workspace.openTextDocument(uri)).getText();
  const theirs = JSON.parse(text.replace(/^\s*\/\/.*$/gm, "")) as {
    key: string;
    command: string;
    when?: string;
  }[];
  assert.ok(theirs.length > 500);
  const { keybindings } = vscode.extensions.getExtension("editd.editd")!.packageJSON.contributes;
  // Escape has a hundred meanings; our `when` names those that come first.
  // Nobody types in a proposal, and the instruction box has no list to go through.
  const elsewhere = /resourceScheme == '?editd-preview|inQuickInput/;
  const ours = (keybindings as { key: string; when: string }[])
    .filter(({ when }) => !elsewhere.test(when))
    .map(({ key }) => sorted(key))
    .filter((key) => key !== "escape");
  const known = /findWidgetVisible|quickDiffDecorationCount|chatEdits|terminalFocus|when false/; // not while hunks wait, or elsewhere
  const taken = theirs
    .filter(({ key, command }) => ours.includes(sorted(key)) && !command.startsWith("editd."))
    .map(({ key, command, when }) => `${key}: ${command} when ${when}`)
    .filter((line) => /editor(Text)?Focus|when undefined/.test(line) && !known.test(line));
  assert.deepEqual(taken, []);
});

function sorted(key: string): string {
  return key.split("+").sort().join("+");
}

test("a file is rewritten: hunks arrive one by one, the file is untouched until accept", async () => {
  await script(SLOW);
  const editor = await open(lines(6));
  const seen = new Set<number>();
  const listening = api.edits.onDidChange(() => seen.add(hunks(editor).length));
  await rewrite();
  listening.dispose();
  assert.ok(seen.size >= 5, `saw ${[...seen].join()} hunks`);
  assert.equal(hunks(editor).length, 6);
  assert.equal(editor.document.getText(), lines(6));
  assert.equal(editor.document.isDirty, false);
});

test("all hunks are accepted in one undo step", async () => {
  const editor = vscode.window.activeTextEditor!;
  const before = editor.document.getText();
  const { version } = editor.document;
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), before.toUpperCase());
  assert.equal(editor.document.version, version + 1);
  assert.equal(hunks(editor).length, 0);
  await run("undo");
  assert.equal(editor.document.getText(), before);
  await run("redo");
  assert.equal(editor.document.getText(), before.toUpperCase());
});

test("only the lines of the selection are rewritten", async () => {
  await script(AT_ONCE);
  const editor = await open(lines(6));
  editor.selection = new vscode.Selection(1, 3, 3, 0); // lines 1 and 2
  await rewrite();
  assert.deepEqual(
    hunks(editor).map(({ start }) => start),
    [1, 2],
  );
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), "line 0\nLINE 1\nLINE 2\nline 3\nline 4\nline 5\n");
});

test("a new problem in accepted lines is told, and undone", async () => {
  const { showWarningMessage } = vscode.window;
  const told: string[] = [];
  const window = vscode.window as { showWarningMessage: unknown };
  const diagnostics = vscode.languages.createDiagnosticCollection("lint");
  const problem = (line: number): vscode.Diagnostic =>
    new vscode.Diagnostic(new vscode.Range(line, 0, line, 4), "bad", vscode.DiagnosticSeverity.Error);
  try {
    const editor = await open(lines(3));
    const before = editor.document.getText();
    window.showWarningMessage = (message: string) => {
      told.push(message);
      return Promise.resolve("Undo");
    };
    diagnostics.set(editor.document.uri, [problem(0)]);
    await rewrite();
    await run("editd.acceptAll");
    diagnostics.set(editor.document.uri, [problem(0)]);
    const undone = new Promise((resolve) => vscode.workspace.onDidChangeTextDocument(resolve));
    diagnostics.set(editor.document.uri, [problem(0), problem(2)]);
    await undone;
    assert.equal(editor.document.getText(), before);
    assert.deepEqual(told, ["editd: The accepted lines have a new problem. bad"]);
  } finally {
    window.showWarningMessage = showWarningMessage;
    diagnostics.dispose();
  }
});

test("one hunk is accepted, one rejected, and the cursor stays where it is", async () => {
  const editor = await open(lines(3));
  editor.selection = new vscode.Selection(2, 4, 2, 4);
  await vscode.commands.executeCommand("editd.rewrite", { instruction: "x", start: 0, end: 3 });
  const [first, second] = hunks(editor);
  await run("editd.acceptHunk", first!.live.review.token, first!.id);
  await run("editd.rejectHunk", second!.live.review.token, second!.id);
  assert.equal(editor.document.getText(), "LINE 0\nline 1\nline 2\n");
  assert.deepEqual(
    hunks(editor).map(({ start }) => start),
    [2],
  );
  assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [2, 4]);
  await run("editd.acceptHunk"); // the one at the cursor
  assert.equal(editor.document.getText(), "LINE 0\nline 1\nLINE 2\n");
  assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [2, 4]);
});

test("accepts that follow each other at once all arrive", async () => {
  const editor = await open(lines(5));
  await rewrite();
  await Promise.all(hunks(editor).map(({ live, id }) => run("editd.acceptHunk", live.review.token, id)));
  assert.equal(editor.document.getText(), lines(5).toUpperCase());
});

test("a key goes to the hunk first, and accepts it then", async () => {
  const editor = await open(`1\n2\n${lines(2)}`);
  await rewrite();
  editor.selection = new vscode.Selection(0, 0, 0, 0);
  await run("editd.acceptHunk");
  assert.equal(editor.selection.active.line, 2);
  assert.equal(hunks(editor).length, 2);
  await run("editd.acceptHunk");
  assert.equal(hunks(editor).length, 1);
  await run("editd.nextHunk");
  assert.equal(editor.selection.active.line, 3);
  await run("editd.rejectAll");
  assert.equal(editor.document.getText(), "1\n2\nLINE 0\nline 1\n");
});

test("typing before, inside and after a hunk while it streams", async () => {
  await script(SLOW);
  const editor = await open(lines(14));
  const ended = rewrite();
  await shown(() => hunks(editor).length >= 3, "three hunks");
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "NEW\n")); // before
  await editor.edit((edit) => edit.insert(new vscode.Position(2, 6), "!")); // inside: "line 1"
  await editor.edit((edit) => edit.insert(new vscode.Position(14, 0), "LAST\n")); // after
  await ended;
  await shown(() => hunks(editor).length === 14, "all hunks");
  const stale = hunks(editor).filter(({ state }) => state === "stale");
  assert.deepEqual(
    stale.map(({ newLines }) => newLines),
    [["LINE 1\n"]],
  );
  await run("editd.acceptAll");
  const expected = `NEW\n${lines(14).toUpperCase()}`
    .replace("LINE 1\n", "line 1!\n")
    .replace("LINE 13\n", "LAST\nLINE 13\n");
  assert.equal(editor.document.getText(), expected);
  await run("editd.rejectAll");
  assert.equal(hunks(editor).length, 0);
});

test("a hunk is accepted while others are still to come", async () => {
  const editor = await open(lines(40));
  const ended = rewrite();
  await shown(() => hunks(editor).length >= 2, "two hunks");
  const [first] = hunks(editor);
  await run("editd.acceptHunk", first!.live.review.token, first!.id);
  assert.equal(first!.live.review.state, "running");
  assert.ok(editor.document.getText().startsWith("LINE 0\nline 1\n"));
  await ended;
  assert.equal(hunks(editor).length, 39);
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), lines(40).toUpperCase());
});

test("cancel stops it, and leaves nothing behind", async () => {
  const editor = await open(lines(1000)); // more work than there is time for a test
  const ended = rewrite();
  await shown(() => hunks(editor).length >= 2, "two hunks");
  const { live } = hunks(editor)[0]!;
  await run("editd.cancelEdit");
  await ended;
  assert.equal(live.review.state, "cancelled");
  assert.equal(hunks(editor).length, 0);
  assert.equal(editor.document.getText(), lines(1000));
});

test("reject-all while it streams drops what is still to come", async () => {
  const editor = await open(lines(60));
  const ended = rewrite();
  await shown(() => hunks(editor).length >= 2, "two hunks");
  const { live } = hunks(editor)[0]!;
  await run("editd.rejectAll");
  assert.equal(hunks(editor).length, 0);
  await ended;
  assert.equal(live.review.state, "cancelled");
  assert.equal(hunks(editor).length, 0);
});

test("closing the file stops it", async () => {
  const editor = await open(lines(60));
  const { uri } = editor.document;
  const ended = rewrite();
  await shown(() => hunks(editor).length >= 2, "two hunks");
  const { live } = hunks(editor)[0]!;
  await run("workbench.action.closeActiveEditor");
  await ended;
  assert.equal(live.review.state, "cancelled");
  assert.equal(api.edits.hunksOf(uri).length, 0);
  let state: unknown;
  for (let tries = 0; state !== "idle" && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50)); // the daemon hears of it a moment later
    state = (await api.client.request<protocol.ServerStatus>(protocol.STATUS, {})).daemon!["state"];
  }
  assert.equal(state, "idle");
});

test("a new edit takes the place of the one that runs", async () => {
  const editor = await open(lines(40));
  const first = rewrite();
  await shown(() => hunks(editor).length >= 1, "a hunk");
  const { live } = hunks(editor)[0]!;
  await vscode.commands.executeCommand("editd.rewrite", { instruction: "again", start: 0, end: 3 });
  await first;
  assert.equal(live.review.state, "cancelled");
  assert.deepEqual(
    hunks(editor).map(({ start }) => start),
    [0, 1, 2],
  );
  await run("editd.rejectAll");
});

test("line ends, emoji and a missing last line end survive", async () => {
  await script(AT_ONCE);
  const check = async (text: string, now = text.toUpperCase()): Promise<void> => {
    const editor = await open(text);
    await rewrite();
    await run("editd.acceptAll");
    assert.equal(editor.document.getText(), now);
    await editor.document.save();
    const saved = Buffer.from(await vscode.workspace.fs.readFile(editor.document.uri)).toString("utf8");
    assert.equal(saved, now);
  };
  await check("one\r\ntwo\r\n");
  await check("one\r\ntwo");
  await check("one 🍎 x\n👩‍👩‍👧 two\n");
  await check("one\ntwo");
  await check("a\n\n\nb\n");
});

test("the file's BOM stays", async () => {
  const editor = await open("\ufeffone\ntwo\n");
  await rewrite();
  await run("editd.acceptAll");
  await editor.document.save();
  const saved = Buffer.from(await vscode.workspace.fs.readFile(editor.document.uri)).toString("utf8");
  assert.equal(saved, "\ufeffONE\nTWO\n");
});

test("a file that no editor shows is changed in one undo step too", async () => {
  const editor = await open(lines(3));
  const { document } = editor;
  await rewrite();
  const { live } = hunks(editor)[0]!;
  await open("another\n");
  assert.ok(!vscode.window.visibleTextEditors.some((visible) => visible.document === document));
  for (const { id } of live.review.open()) await run("editd.acceptHunk", live.review.token, id);
  assert.equal(document.getText(), lines(3).toUpperCase());
});

test("an unsaved file that has no name yet can be rewritten", async () => {
  const document = await vscode.workspace.openTextDocument({ content: "one\ntwo\n" });
  await vscode.window.showTextDocument(document);
  await rewrite();
  await run("editd.acceptAll");
  assert.equal(document.getText(), "ONE\nTWO\n");
  await run("workbench.action.revertAndCloseActiveEditor");
});

test("lenses stand above hunks, and a hover says what they are", async () => {
  const editor = await open(lines(2));
  await rewrite();
  const lenses = (await run("vscode.executeCodeLensProvider", editor.document.uri)) as vscode.CodeLens[];
  const titles = lenses.map(
    ({ range, command }) => `${range.start.line} ${command!.title.replace("\u00a0", " ")}`,
  );
  assert.deepEqual(titles, [
    "0 $(check) Accept Alt+Enter",
    "0 $(close) Reject Alt+Backspace",
    "0 $(check-all) Accept 2 Shift+Alt+Enter",
    "0 $(edit) Refine…", // whose key in a file is that of Rewrite
    "0 $(close-all) Reject all",
    "1 $(check) Accept Alt+Enter",
    "1 $(close) Reject Alt+Backspace",
  ]);
  const text = await hover(editor, 1);
  assert.match(text, /hunk 2 of 2/);
  assert.match(text, /LINE 1/);
  assert.match(text, /100 % of the edit's 2 tokens/);
  const accept = lenses[5]!.command!;
  await run(accept.command, ...accept.arguments!);
  assert.equal(editor.document.getText(), "line 0\nLINE 1\n");
  await run("editd.rejectAll");
});

test("a hover says where each hunk's text came from", async () => {
  const editor = await open(lines(2));
  await rewrite();
  const { live, id } = hunks(editor)[0]!;
  const answer = live.review.answer!;
  const origins = [
    { line: 0, start: 0, end: 4, source: "buffer" },
    { line: 0, start: 4, end: 6, source: "project", detail: "shop/a b.py:7" },
  ];
  live.review.finish({
    ...answer,
    hunks: answer.hunks.map((hunk) => (hunk.id === id ? { ...hunk, origins } : hunk)),
  });
  const told = await hover(editor, 0);
  assert.match(told, /- 80 % copied from the buffer\n- 20 % project file \[shop\/a b\\.py:7\]\(.*\): `0`/);
  assert.match(told, /\/shop\/shop\/a%20b.py#L7\)/);
  assert.doesNotMatch(await hover(editor, 1), /copied/);
  await run("editd.rejectAll");
});

async function hover(editor: vscode.TextEditor, line: number): Promise<string> {
  const position = new vscode.Position(line, 0);
  const hovers = await run("vscode.executeHoverProvider", editor.document.uri, position);
  return ((hovers as vscode.Hover[])[0]!.contents[0] as vscode.MarkdownString).value;
}

test("a hunk that is doubted says why and is left out of accept-all", async () => {
  await script({ ...AT_ONCE, suspect: "It shouts." });
  const editor = await open(lines(2));
  await rewrite();
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), lines(2));
  assert.match(await hover(editor, 0), /It shouts/);
  const { live, id } = hunks(editor)[0]!;
  await run("editd.acceptHunk", live.review.token, id);
  assert.equal(editor.document.getText(), "LINE 0\nline 1\n");
  await run("notifications.clearAll");
  await run("editd.rejectAll");
});

test("notes and the summary are told, and their hunks are accepted with all", async () => {
  await script({ ...AT_ONCE, note: "Look here.", span: "`LI` or `LA`", summary: "All of it." });
  const editor = await open(lines(2));
  await rewrite();
  const told = await hover(editor, 0);
  assert.match(told, /Look here/);
  assert.match(told, /LI: .*LI.* or/);
  assert.match(told, /All of it/);
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), lines(2).toUpperCase());
});

test("another way keeps to the lines of the edit, and is not based on its answer", async () => {
  await script({ ...AT_ONCE, ways: ["again", "whole"] });
  const editor = await open(lines(3));
  editor.selection = new vscode.Selection(0, 0, 2, 0);
  await rewrite();
  const first = hunks(editor)[0]!.live;
  editor.selection = new vscode.Selection(2, 0, 2, 0);
  await run("editd.anotherWay", editor.document.uri, "whole");
  const second = hunks(editor)[0]!.live;
  assert.notEqual(second, first);
  assert.deepEqual([second.ask.way, second.ask.basedOn], ["whole", undefined]);
  assert.deepEqual(second.ask.lines, { start: 0, end: 2 });
  assert.deepEqual(
    hunks(editor).map(({ start }) => start),
    [0, 1],
  );
  await run("editd.rejectAll");
});

const SKETCH = "// ... existing code ...\nline 1\nnew\nline 2\n// ... existing code ...\n";
const APPLIED = "line 0\nline 1\nnew\nline 2\nline 3\n";

test("what was copied is put into the file, and undone in one step", async () => {
  const editor = await open(lines(4));
  editor.selection = new vscode.Selection(3, 0, 3, 4); // no matter: the sketch says where it belongs
  await vscode.env.clipboard.writeText(SKETCH);
  await run("editd.applyClipboard");
  assert.deepEqual(
    hunks(editor).map(({ start, oldCount, newLines }) => [start, oldCount, newLines]),
    [[2, 0, ["new\n"]]],
  );
  assert.equal(editor.document.getText(), lines(4));
  const told = await hover(editor, 2);
  assert.match(told, /from what was applied: `new`/);
  assert.match(told, /Merged without a model/);
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), APPLIED);
  await run("undo");
  assert.equal(editor.document.getText(), lines(4));
});

test("a selection is put into another file, which is shown", async () => {
  const other = await open(lines(4));
  const chat = await open(`Put this in:\n${SKETCH}and run it.\n`);
  chat.selection = new vscode.Selection(1, 0, 6, 0);
  await run("editd.applySelectionTo", { uri: other.document.uri });
  assert.equal(vscode.window.activeTextEditor!.document, other.document);
  assert.equal(hunks(chat).length, 0);
  await run("editd.acceptAll");
  assert.equal(other.document.getText(), APPLIED);
});

test("the only other way than text is the model, and is taken at once", async () => {
  const editor = await open(lines(4));
  await run("editd.applyClipboard", { sketch: SKETCH });
  assert.equal(hunks(editor).length, 1);
  await run("editd.anotherWay");
  const [first] = hunks(editor);
  assert.equal(first!.live.ask.way, "model");
  assert.equal(hunks(editor).length, 4); // the scripted model writes in capitals
  await run("editd.rejectAll");
});

test("a sketch in doubt is the model's, and an empty one changes nothing", async () => {
  const editor = await open("a\nb\na\nb\n");
  await run("editd.applyClipboard", { sketch: "// ...\na\nnew\nb\n// ...\n" });
  assert.equal(hunks(editor).length, 4);
  await run("editd.rejectAll");
  const empty = await open(lines(2));
  await run("editd.applyClipboard", { sketch: "  " });
  assert.equal(empty.document.getText(), lines(2));
});

test("presets are offered where something is selected, and Fix beside a problem", async () => {
  const editor = await open(lines(4));
  const problems = vscode.languages.createDiagnosticCollection("test");
  problems.set(editor.document.uri, [new vscode.Diagnostic(new vscode.Range(1, 0, 1, 4), "no capitals")]);
  try {
    const offered = async (range: vscode.Range, kind?: string): Promise<vscode.CodeAction[]> => {
      const actions = await run("vscode.executeCodeActionProvider", editor.document.uri, range, kind);
      return (actions as vscode.CodeAction[]).filter(({ title }) => /editd/.test(title));
    };
    const all = await offered(new vscode.Range(2, 0, 3, 1));
    assert.ok(all.some(({ title }) => title === "editd: Simplify"));
    assert.ok(all.every(({ kind }) => kind!.value.startsWith("refactor.rewrite.editd.")));
    const fixes = await offered(new vscode.Range(1, 0, 1, 4), "quickfix");
    assert.deepEqual(
      fixes.map(({ title }) => title),
      ["Fix with editd"],
    );
    const { command } = fixes[0]!;
    await run(command!.command, ...command!.arguments!);
    assert.equal(hunks(editor).length, 4);
    await run("editd.rejectAll");
  } finally {
    problems.dispose();
  }
});

test("the daemon is killed in the middle: one sentence, and the next edit works", async () => {
  await script(SLOW);
  const editor = await open(lines(60));
  const ended = rewrite();
  await shown(() => hunks(editor).length >= 2, "two hunks");
  const { live } = hunks(editor)[0]!;
  await killDaemon();
  await ended;
  assert.equal(live.review.state, "failed");
  assert.ok(live.review.answer!.message!.length > 10);
  assert.equal(hunks(editor).length, 0);
  assert.equal(editor.document.getText(), lines(60));
  await run("notifications.clearAll");
  await script(AT_ONCE);
  await rewrite();
  assert.equal(hunks(editor).length, 60);
  await run("editd.rejectAll");
});

test("the language server is killed: hunks go, and it comes back", async () => {
  const editor = await open(lines(3));
  await rewrite();
  assert.equal(hunks(editor).length, 3);
  await run("editd.restartServer");
  assert.equal(hunks(editor).length, 0);
  await rewrite();
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), lines(3).toUpperCase());
});

test("what went wrong is said in one sentence, and the file stays as it is", async () => {
  await script({ ...AT_ONCE, error: "edit-refused" });
  const editor = await open(lines(3));
  await rewrite();
  const last = api.edits.lastOf(editor.document.uri)!;
  assert.equal(last.review.state, "failed");
  assert.equal(editor.document.getText(), lines(3));
  await run("notifications.clearAll");
});
