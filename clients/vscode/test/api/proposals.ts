// Proposals: when one opens, what it shows, how one decides in it, and how it ends.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { refusal } from "../../src/refusal";
import { api, hunks, lines, open, rewrite, run, script, shown, until } from "./world";

export const tests: [string, () => Promise<void>][] = [];

/** A test with the usual setting; the other tests want marks in the document. */
const test = (name: string, body: () => Promise<void>): unknown =>
  tests.push([
    name,
    async () => {
      await preview("auto");
      try {
        await body();
        assert.equal(diff(), undefined, "a proposal was left behind");
      } finally {
        await preview(undefined);
        await run("workbench.action.closeAllEditors");
      }
    },
  ]);

const SLOW = { unit_seconds: 0.08 };
const AT_ONCE = { lines_per_unit: 1, prefill_units: 0 };

test("whole lines open a proposal, whose settings are its own", async () => {
  await script(AT_ONCE);
  const editor = await open(lines(5));
  await rewrite();
  const proposal = await inFront();
  assert.equal(diff()!.original.toString(), editor.document.uri.toString());
  await until(() => proposal.document.getText() === lines(5).toUpperCase(), "the whole text");
  assert.equal(proposal.document.languageId, "editd-plaintext");
  const setting = (key: string, scope: vscode.TextDocument): unknown =>
    vscode.workspace.getConfiguration("diffEditor", scope).get(key);
  assert.deepEqual(
    ["renderSideBySide", "codeLens", "ignoreTrimWhitespace", "hideOriginalLineNumbers"].map((key) =>
      setting(key, proposal.document),
    ),
    [false, true, false, true],
  );
  assert.equal(setting("codeLens", editor.document), false);
  assert.equal(setting("renderSideBySide", editor.document), true);
  assert.equal(editor.document.getText(), lines(5));
  assert.equal(editor.document.isDirty, false);
  const lenses = (await run("vscode.executeCodeLensProvider", proposal.document.uri)) as vscode.CodeLens[];
  const first = lenses.filter(({ range }) => range.start.line === 0).map(({ command }) => command!.title);
  assert.match(first[0]!, /Accept Alt\+Enter/);
  assert.match(first[1]!, /Reject Alt\+Backspace/);
  assert.match(first[2]!, /Accept 5 Shift\+Alt\+Enter/);
  assert.match(first[3]!, /Refine… Ctrl\+Alt\+R/);
  assert.equal(new Set(lenses.map(({ range }) => range.start.line)).size, 5);
  await run("editd.rejectAll");
  await until(() => diff() === undefined, "the end");
});

test("decisions lead to the next hunk, the last one back to the document", async () => {
  const editor = await open(`1\n2\n${lines(4)}`);
  editor.selection = new vscode.Selection(1, 1, 1, 1);
  await vscode.commands.executeCommand("editd.rewrite", { instruction: "x", start: 0, end: 6 });
  const proposal = await inFront();
  const at = (): number => proposal.selection.active.line;
  await until(() => at() === 2, "the first hunk");
  await run("editd.acceptHunk");
  assert.equal(editor.document.getText(), `1\n2\n${lines(4)}`.replace("line 0", "LINE 0"));
  await until(() => at() === 3, "the next hunk");
  await run("editd.rejectHunk");
  await until(() => at() === 4, "the one after it");
  assert.equal(proposal.document.getText().split("\n")[3], "line 1");
  await run("editd.previousHunk");
  await until(() => at() === 5, "from the first to the last");
  await run("editd.acceptHunk");
  await until(() => at() === 4, "the one that is left");
  assert.equal(vscode.window.activeTextEditor!.document, proposal.document);
  await run("editd.acceptHunk");
  await until(() => vscode.window.activeTextEditor?.document === editor.document, "the document");
  assert.equal(editor.document.getText(), "1\n2\nLINE 0\nline 1\nLINE 2\nLINE 3\n");
  const back = vscode.window.activeTextEditor!;
  assert.deepEqual([back.viewColumn, back.selection.active.line], [vscode.ViewColumn.One, 1]);
});

test("undo in a proposal is the document's", async () => {
  const editor = await open(lines(3));
  await rewrite();
  await inFront();
  await run("editd.acceptHunk");
  assert.notEqual(editor.document.getText(), lines(3));
  assert.equal(hunks(editor).length, 2);
  await run("editd.undoInFile");
  assert.equal(editor.document.getText(), lines(3));
  const proposal = await inFront();
  await shown(() => hunks(editor).length === 3, "the hunk that is back");
  assert.equal(proposal.document.getText(), lines(3).toUpperCase());
  await run("editd.redoInFile");
  assert.equal(editor.document.getText(), lines(3).replace("line 0", "LINE 0"));
  await inFront();
  await shown(() => hunks(editor).length === 2, "the redo");
  await run("editd.rejectAll");
  await until(() => diff() === undefined, "the end");
});

test("the undo of the last accept brings its hunk back, and opens nothing", async () => {
  const editor = await open(lines(2));
  await rewrite();
  await inFront();
  await run("editd.acceptAll");
  await until(() => diff() === undefined, "the end");
  assert.equal(editor.document.getText(), lines(2).toUpperCase());
  await until(() => vscode.window.activeTextEditor?.document === editor.document, "the document");
  await run("undo");
  assert.equal(editor.document.getText(), lines(2));
  await shown(() => hunks(editor).length === 2, "both hunks");
  assert.equal(diff(), undefined);
  await run("editd.openDiff");
  await inFront();
  await run("editd.acceptAll");
  await until(() => diff() === undefined, "the end");
  assert.equal(editor.document.getText(), lines(2).toUpperCase());
});

test("a refinement keeps to the lines of the edit, and what it refines is dimmed until it is there", async () => {
  await script(SLOW);
  const editor = await open(`def a():\n    one\n    two\n\n\ndef b():\n    three\n`);
  editor.selection = new vscode.Selection(1, 0, 2, 0);
  await rewrite();
  await inFront();
  const first = hunks(editor)[0]!.live;
  const refining = api.edits.start(editor.document, {
    instruction: "shorter",
    lines: first.ask.lines!,
    basedOn: first.review.token,
  });
  await shown(() => hunks(editor).some(({ isDimmed }) => isDimmed), "the dimmed hunk");
  await run("editd.acceptHunk"); // nothing can be accepted now
  assert.equal(editor.document.isDirty, false);
  await refining;
  assert.deepEqual(
    hunks(editor).map(({ live, isDimmed }) => [live === first, isDimmed]),
    [[false, false]],
  );
  await run("editd.rejectAll");
  await until(() => diff() === undefined, "the end");
});

test("a refinement that fails brings back what it refines", async () => {
  await script({ ...AT_ONCE, ways: ["again"] });
  const editor = await open(lines(2));
  await rewrite();
  await inFront();
  const first = hunks(editor)[0]!.live;
  const failing = { instruction: "x", basedOn: first.review.token, preset: "no such preset" };
  await assert.rejects(async () => api.edits.start(editor.document, failing));
  assert.deepEqual(
    hunks(editor).map(({ live, isDimmed }) => [live === first, isDimmed]),
    [
      [true, false],
      [true, false],
    ],
  );
  assert.equal(api.edits.refinable(editor.document.uri), first);
  await run("editd.acceptAll");
  await until(() => diff() === undefined, "the end");
  assert.equal(editor.document.getText(), lines(2).toUpperCase());
  await run("undo");
  await until(() => hunks(editor).length === 2, "what the undo brings back");
  await run("editd.rejectAll");
});

test("what is closed stays closed, until it is asked for", async () => {
  await script(SLOW);
  const editor = await open(lines(6));
  const ended = rewrite();
  await inFront();
  await run("workbench.action.closeActiveEditor");
  await ended;
  assert.equal(diff(), undefined);
  assert.equal(hunks(editor).length, 6);
  await until(() => vscode.window.activeTextEditor?.document === editor.document, "the document");
  await run("editd.openDiff");
  await inFront();
  await run("editd.closeProposal");
  await until(() => diff() === undefined, "the end");
  assert.equal(hunks(editor).length, 6);
  await run("editd.rejectAll");
});

test("nothing opens before the eyes of someone who types or looks elsewhere", async () => {
  await script({ unit_seconds: 0.4, lines_per_unit: 6 });
  const typing = await open(lines(12));
  let ended = rewrite();
  await shown(() => api.edits.of(typing.document.uri).length > 0, "the edit");
  await typing.edit((edit) => edit.insert(new vscode.Position(11, 0), "typed\n"));
  await ended;
  assert.equal(diff(), undefined);
  const lenses = (await run("vscode.executeCodeLensProvider", typing.document.uri)) as vscode.CodeLens[];
  assert.match(lenses[0]!.command!.title, /Show Alt\+F6/);
  await run("editd.rejectAll");
  const left = await open(lines(12));
  ended = rewrite();
  await shown(() => api.edits.of(left.document.uri).length > 0, "the edit");
  await open("another\n");
  await ended;
  assert.equal(diff(), undefined);
  hunks(left).forEach(({ live }) => api.edits.dismiss(live));
});

test("words alone stay in the document", async () => {
  const editor = await open("the first line\nthe second line\n");
  const sketch = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n the first line\n-the second line\n+the other second line\n";
  await run("editd.applyClipboard", { sketch });
  assert.equal(hunks(editor).length, 1);
  assert.equal(diff(), undefined);
  await run("editd.rejectAll");
});

test("a proposal follows the document in another column", async () => {
  await script(AT_ONCE);
  const editor = await open(lines(4));
  await rewrite();
  const proposal = await inFront();
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "typed\n")).then(undefined, () => {});
  const edit = new vscode.WorkspaceEdit();
  edit.insert(editor.document.uri, new vscode.Position(0, 0), "typed\n");
  if (!editor.document.getText().startsWith("typed")) await vscode.workspace.applyEdit(edit);
  await until(() => proposal.document.getText() === `typed\n${lines(4).toUpperCase()}`, "what was typed");
  await run("editd.acceptAll");
  assert.equal(editor.document.getText(), `typed\n${lines(4).toUpperCase()}`);
  await until(() => diff() === undefined, "the end");
});

test("an untitled document, and one that is not saved, have proposals too", async () => {
  const untitled = await vscode.workspace.openTextDocument({ content: lines(2), language: "python" });
  await vscode.window.showTextDocument(untitled);
  await rewrite();
  assert.equal((await inFront()).document.languageId, "editd-python");
  await run("editd.acceptAll");
  await until(() => diff() === undefined, "the end");
  assert.equal(untitled.getText(), lines(2).toUpperCase());
  await run("workbench.action.revertAndCloseActiveEditor");
  const editor = await open(lines(2));
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "not saved\n"));
  await rewrite();
  assert.equal((await inFront()).document.getText(), `not saved\n${lines(2)}`.toUpperCase());
  await run("editd.rejectAll");
  await until(() => diff() === undefined, "the end");
  await run("workbench.action.revertAndCloseActiveEditor");
});

test("what cannot be rewritten has its answer", async () => {
  const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, "x = 1", "python");
  const data = new vscode.NotebookData([cell]);
  const notebook = await vscode.workspace.openNotebookDocument("jupyter-notebook", data);
  assert.match((await refusal(notebook.cellAt(0).document))!, /notebook/);
  const settings = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
  assert.match((await refusal(await vscode.workspace.openTextDocument(settings)))!, /read-only/);
  const untitled = await vscode.workspace.openTextDocument({ content: "x" });
  assert.equal(await refusal(untitled), undefined);
  assert.match((await refusal(untitled, true))!, /read-only/);
});

test("line ends and a missing last line end are in the proposal as in the document", async () => {
  for (const text of ["one\r\ntwo\r\n", "one\r\ntwo", "a\n\n\nb\n"]) {
    const editor = await open(text);
    await rewrite();
    assert.equal((await inFront()).document.getText(), text.toUpperCase());
    await run("editd.acceptAll");
    await until(() => diff() === undefined, "the end");
    assert.equal(editor.document.getText(), text.toUpperCase());
  }
});

/** The proposal, once it is the active editor and has a text. */
async function inFront(): Promise<vscode.TextEditor> {
  const isIn = (): boolean => vscode.window.activeTextEditor?.document.uri.scheme === "editd-preview";
  await until(isIn, "a proposal");
  const editor = vscode.window.activeTextEditor!;
  await until(() => editor.document.getText() !== "", "its text");
  return editor;
}

function diff(): vscode.TabInputTextDiff | undefined {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .map((tab) => tab.input)
    .find((input): input is vscode.TabInputTextDiff => input instanceof vscode.TabInputTextDiff);
}

function preview(value: string | undefined): Thenable<void> {
  const settings = vscode.workspace.getConfiguration("editd");
  return settings.update("preview", value, vscode.ConfigurationTarget.Workspace);
}
