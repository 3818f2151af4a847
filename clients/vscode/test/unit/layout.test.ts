import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut, type Mark } from "../../src/layout";
import { expandTabs, splitLines, visualWidth } from "../../src/lines";
import { diffWords } from "../../src/words";

function check(
  text: string,
  hunk: { start: number; old: number; now: string; done?: boolean },
  expected: string[],
  limit?: number,
): void {
  const lines = text.split("\n");
  const page = { lineCount: lines.length, tabSize: 4, lineAt: (line: number): string => lines[line] ?? "" };
  const marks = layOut(
    { start: hunk.start, oldCount: hunk.old, newLines: splitLines(hunk.now), done: hunk.done ?? true },
    page,
    limit ?? page.lineCount,
  );
  assert.deepEqual(marks.map(told), expected);
}

function told(mark: Mark): string {
  switch (mark.kind) {
    case "removedLine":
      return `-${mark.line}`;
    case "removedText":
      return `-${mark.line}:${mark.from}..${mark.to}`;
    case "insertedText":
      return `+${mark.line}:${mark.at} ${mark.text}`;
    case "insertion":
      return `${mark.side} ${mark.line}`;
    case "insertedLine":
      return `|${mark.line} +${mark.gap} ${mark.text}`;
  }
}

test("a changed word is struck out and the new one stands beside it", () => {
  check("def f(qty):\n    pass\n", { start: 0, old: 1, now: "def f(quantity):\n" }, [
    "-0:6..9",
    "+0:9 quantity",
  ]);
});

test("words that only come in strike nothing out", () => {
  check("def f(qty):\n", { start: 0, old: 1, now: "def f(qty: int) -> None:\n" }, [
    "+0:9 : int",
    "+0:10  -> None",
  ]);
});

test("neighbouring lines that stayed have no mark", () => {
  check("a = 1\nb = 2\nc = 3\n", { start: 0, old: 3, now: "a = 9\nb = 2\nc = 8\n" }, [
    "-0:4..5",
    "+0:5 9",
    "-2:4..5",
    "+2:5 8",
  ]);
});

test("new lines stand in a box beside the lines that they precede", () => {
  check("import csv\nimport os\n\nx\n", { start: 1, old: 0, now: "import io\nimport json\n" }, [
    "before 1",
    "|1 +3 import io  ",
    "|2 +12 import json",
  ]);
});

test("a line that has nothing in common with the new one is struck out whole", () => {
  check("return 1\nx\n", { start: 0, old: 1, now: "while queue:\n" }, ["-0", "|0 +3 while queue:"]);
});

test("a box keeps above the next hunk and says what it leaves out", () => {
  check(
    "a\nb\nc\nd\n",
    { start: 0, old: 0, now: "one\ntwo\nthree\n" },
    ["before 0", "|0 +3 one          ", "|1 +3 two  … 1 more"],
    2,
  );
});

test("where there are no boxes, new lines are counted", () => {
  const [now, limit] = ["one\ntwo\nthree\n", 0];
  check("a\nb\n", { start: 0, old: 0, now }, ["before 0", "|0 +3 3 new lines"], limit);
  check("a\nb\n", { start: 0, old: 1, now: "xyz\n" }, ["-0", "|0 +3 1 new line"], limit);
});

test("a blank end of a box needs no room", () => {
  check("a\nb\n", { start: 0, old: 0, now: "one\n\n" }, ["before 0", "|0 +3 one"], 1);
});

test("a hunk that grows is shown against the lines where it grows", () => {
  check("def f():\n    pass\n", { start: 0, old: 0, now: "def f() -> None:\n", done: false }, [
    "+0:7  -> None",
  ]);
  check("import csv\n", { start: 0, old: 0, now: "import io\n", done: false }, ["|0 +3 import io"]);
});

test("a box at the end of the document stands on its last line", () => {
  check("a\nb", { start: 2, old: 0, now: "new\n" }, ["after 1", "|1 +3 new"]);
});

test("a deletion strikes out and inserts nothing", () => {
  check("a\nb\nc\n", { start: 1, old: 1, now: "" }, ["-1"]);
});

test("tabs and wide characters are as wide as they look", () => {
  assert.equal(visualWidth("\tx", 4), 5);
  assert.equal(visualWidth("ab\tx", 4), 5);
  assert.equal(visualWidth("日本", 4), 4);
  assert.equal(visualWidth("🍎é", 4), 3);
  assert.equal(expandTabs("a\tb", 4), "a   b");
});

test("words apart from white space are told as one change", () => {
  assert.deepEqual(diffWords("return a b", "return c d"), [
    { kind: "same", text: "return " },
    { kind: "removed", text: "a b" },
    { kind: "inserted", text: "c d" },
  ]);
});

test("segments spell both lines", () => {
  const random = lehmer(7);
  const words = ["a", "b", " ", "(", "é", "🍎", "  ", "x1"];
  const line = (): string => Array.from({ length: random(12) }, () => words[random(words.length)]!).join("");
  for (let round = 0; round < 2000; round++) {
    const [old, now] = [line(), line()];
    const segments = diffWords(old, now);
    assert.equal(
      segments
        .filter(({ kind }) => kind !== "inserted")
        .map(({ text }) => text)
        .join(""),
      old,
    );
    assert.equal(
      segments
        .filter(({ kind }) => kind !== "removed")
        .map(({ text }) => text)
        .join(""),
      now,
    );
  }
});

test("marks stay inside the document, whatever the hunk", () => {
  const random = lehmer(11);
  const pieces = ["", "x = 1", "\ty", "日本 = 2", "return x"];
  for (let round = 0; round < 500; round++) {
    const lines = Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]!);
    const start = random(lines.length + 1);
    const oldCount = random(lines.length - start + 1);
    const newLines = Array.from({ length: random(6) }, () => `${pieces[random(pieces.length)]!}\n`);
    const page = { lineCount: lines.length, tabSize: 4, lineAt: (line: number): string => lines[line] ?? "" };
    for (const mark of layOut({ start, oldCount, newLines }, page, lines.length)) {
      assert.ok(
        mark.line >= 0 && mark.line < lines.length,
        JSON.stringify({ lines, start, oldCount, newLines, mark }),
      );
      if (mark.kind === "insertedLine") assert.ok(mark.gap >= 1);
      if (mark.kind === "removedText") assert.ok(mark.to <= lines[mark.line]!.length);
      if (mark.kind === "insertedText") assert.ok(mark.at <= lines[mark.line]!.length);
    }
  }
});

function lehmer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}
