import assert from "node:assert/strict";
import { test } from "node:test";
import { elsewhere } from "../../src/elsewhere";
import { KEYS, keyOf } from "../../src/keys";
import { splitLines } from "../../src/lines";
import { needsRoom, placeAt, propose } from "../../src/proposal";
import { source } from "./fixtures";

type Given = [start: number, oldCount: number, now: string, state?: "ok" | "stale" | "growing"];

const hunk = ([start, oldCount, now, state = "ok"]: Given) => ({
  start,
  oldCount,
  newLines: splitLines(now),
  done: state !== "growing",
  state: state === "stale" ? "stale" : "ok",
});

test("a proposal is the text with its hunks, and knows where each stands", () => {
  const check = (text: string, hunks: Given[], expected: string, places: string): void => {
    const proposal = propose(splitLines(text), hunks.map(hunk));
    assert.equal(proposal.text, expected);
    assert.equal(proposal.places.map(({ start, count }) => `${start}+${count}`).join(" "), places);
  };
  check("a\nb\nc\n", [[1, 1, "x\ny\n"]], "a\nx\ny\nc\n", "1+2");
  check("a\nb\nc\n", [[0, 0, "x\n"], [2, 1, ""]], "x\na\nb\n", "0+1 3+0"); // prettier-ignore
  check("a\r\nb", [[1, 1, "x\r\ny"]], "a\r\nx\r\ny", "1+2");
  check("a\nb\nc\n", [[0, 1, "x\n", "stale"], [2, 1, "z\n"]], "a\nb\nz\n", "0+0 2+1"); // prettier-ignore
  check("a\nb\n", [[1, 0, "new\n", "growing"]], "a\nnew\nb\n", "1+1");
  check("def f():\nb\n", [[0, 0, "def f(x):\n", "growing"]], "def f(x):\nb\n", "0+1"); // not there twice
  check("", [[0, 0, "a\n"]], "a\n", "0+1");
});

test("the hunk on a line of a proposal", () => {
  const places = [{ start: 1, count: 2 }, { start: 5, count: 0 }]; // prettier-ignore
  assert.deepEqual(
    [0, 1, 2, 3, 5].map((line) => placeAt(places, line)),
    [-1, 0, 0, -1, 1],
  );
});

test("whole lines need room, words do not", () => {
  const check = (text: string, given: Given, expected: boolean): void => {
    const lines = text.split("\n");
    assert.equal(
      needsRoom(hunk(given), (line) => lines[line] ?? ""),
      expected,
      JSON.stringify(given),
    );
  };
  check("def f(qty):\n    pass\n", [0, 1, "def f(quantity):\n"], false);
  check("a = 1\nb = 2\nc = 3\n", [0, 3, "a = 9\nb = 2\nc = 8\n"], false);
  check("a = 1\nb = 2\n", [0, 1, "a = 1\nlog(a)\n"], true);
  check("a = 1\nb = 2\n", [1, 0, "log(a)\n"], true);
  check("a = 1\nb = 2\n", [1, 1, ""], true);
  check("return total\n", [0, 1, "    return total\n"], true);
  check("\treturn total\n", [0, 1, "    return total\n"], true);
  check("return 1\n", [0, 1, "while queue:\n"], true);
  check("def f():\n    pass\n", [0, 0, "def f() -> None:\n", "growing"], false);
  check("def f():\n    pass\n", [0, 0, "def f():\n    '''Why.'''\n", "growing"], true);
});

test("hunks out of sight are counted, those below first", () => {
  const text = ["a long line, longer than others", "x", "a longer line", "", "y"];
  const check = (starts: number[], first: number, last: number, expected: string): void => {
    const hunks = starts.map((start) => ({ start, count: 1 }));
    const found = elsewhere(hunks, first, last, (line) => text[line % 5]!);
    assert.equal(found ? `${found.count} ${found.side} at ${found.line}` : "", expected);
  };
  check([3], 0, 20, "");
  check([30, 40], 0, 20, "2 below at 18");
  check([3, 30, 40], 10, 20, "2 below at 18");
  check([3], 10, 20, "1 above at 13");
  check([], 10, 20, "");
  check([20], 0, 20, "");
});

test("keys in the words of the machine, as they are bound", () => {
  assert.equal(keyOf("editd.acceptHunk", false), "Alt+Enter");
  assert.equal(keyOf("editd.acceptAll", false), "Shift+Alt+Enter");
  assert.equal(keyOf("editd.acceptAll", true), "⇧⌥⏎");
  assert.equal(keyOf("editd.refine", true), "⌥⌘R");
  const { keybindings } = JSON.parse(source("clients", "vscode", "package.json")).contributes;
  for (const [command, key] of Object.entries(KEYS))
    assert.ok(
      keybindings.some((bound: any) => bound.command === command && bound.key === key),
      command,
    );
});
