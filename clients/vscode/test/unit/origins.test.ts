// Where a hunk's text came from, in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code } from "../../src/markdown";
import { provenance } from "../../src/figures";
import { originsInWords } from "../../src/origins";
import type { EditAnswer, WireOrigin } from "../../src/protocol";
import { fixture } from "./fixtures";

type Piece = [source: string, text: string, detail?: string];

/** `lines`: the new lines, each in pieces from left to right. */
function check(expected: string[], ...lines: Piece[][]): void {
  const newLines = lines.map((pieces) => `${pieces.map(([, text]) => text).join("")}\n`);
  const origins: WireOrigin[] = [];
  lines.forEach((pieces, line) => {
    let start = 0;
    for (const [source, text, detail] of pieces) {
      const end = start + text.length;
      origins.push({ line, start, end, source, ...(detail !== undefined && { detail }) });
      start = end;
    }
  });
  const link = (path: string, line: number): string | undefined =>
    path.startsWith("src/") ? `link:${path}@${line}` : undefined;
  assert.deepEqual(originsInWords({ newLines, origins }, link).split("\n").filter(Boolean), expected);
}

test("what was applied says so, and that no model was asked", () => {
  const answer = fixture("edit.sketch.response").result as unknown as EditAnswer;
  const [hunk] = answer.hunks;
  assert.equal(originsInWords(hunk!), '- 100 % from what was applied: `log.info("total 🧾")`\n');
  assert.equal(provenance(answer), "It was put in as text; no model was asked.");
  const words = { ...answer, stats: { ...answer.stats, written_by: "words" } };
  assert.equal(provenance(words), "It was computed from the words; no model was asked.");
  const byServer = { ...answer.stats, written_by: "", output_tokens: 9, accepted: null };
  assert.equal(provenance({ ...answer, stats: byServer }), "");
});

test("the largest share comes first, and what the buffer did not have is shown", () =>
  check(
    ["- 60 % copied from the buffer", "- 30 % renamed as before: `quan`, `q2`", "- 10 % new: `->`"],
    [
      ["buffer", "def ab "],
      ["substitution", "quan"],
      ["new", " -> "],
    ],
    [
      ["buffer", "    total="],
      ["substitution", "q2"],
      ["buffer", " x "],
    ],
  ));

test("of a renamed part the whole name is told", () =>
  check(
    ["- 71 % copied from the buffer", "- 29 % renamed as before: `record`"],
    [
      ["buffer", "(r"],
      ["substitution", "ecord"],
      ["buffer", ", other.all"],
    ],
  ));

test("each source has its words", () => {
  check(["- 100 % copied from the buffer"], [["buffer", "a"]]);
  check(["- 100 % renamed as before: `a`"], [["substitution", "a"]]);
  check(["- 100 % written before in this edit: `a`"], [["output", "a"]]);
  check(["- 100 % project file utils\\.py:12: `a`"], [["project", "a", "utils.py:12"]]);
  check(["- 100 % project file: `a`"], [["project", "a"]]);
  check(["- 100 % draft model: `a`"], [["draft-model", "a"]]);
  check(["- 100 % new: `a`"], [["new", "a"]]);
  check(["- 100 % from\\-afar: `a`"], [["from-afar", "a"]]);
});

test("a file of the project is told once, with its lines, and leads there", () =>
  check(
    [
      "- 67 % project file [src/net\\.py:12\\-13](link:src/net.py@12): `a()`, `b()`",
      "- 33 % project file t\\.py:7: `c()`",
    ],
    [["project", "a()", "src/net.py:12"]],
    [["project", "b()", "src/net.py:13"]],
    [["project", "c()", "t.py:7"]],
  ));

test("neighbours of one source are one, and white space alone is nobody's", () => {
  check(
    ["- 100 % new: `x = y`"],
    [
      ["buffer", "    "],
      ["new", "x "],
      ["new", "= y"],
    ],
    [["new", "  "]],
  );
  check([], [["buffer", "   "]]);
  check([]);
});

test("shares are never 0 %, and 100 % is all", () =>
  check(
    ["- 99 % copied from the buffer", "- less than 1 % new: `x`"],
    [
      ["buffer", "a".repeat(999)],
      ["new", "x"],
    ],
  ));

test("much text is shortened, between characters", () => {
  check([`- 100 % new: \`${"🍎".repeat(39)}…\``], [["new", "🍎".repeat(50)]]);
  check(["- 100 % new: `1`, `2`, `3`, …"], ...["1", "2", "3", "4"].map((text): Piece[] => [["new", text]]));
  check(["- 100 % new: `1`"], [["new", "1"]], [["new", "1"]]);
});

test("a hunk of a server that tells nothing, or not yet, has no words", () =>
  assert.equal(originsInWords({ newLines: ["a\n"] }), ""));

test("spans that do not fit the lines do no harm", () => {
  const origins = [
    { line: 7, start: 0, end: 3, source: "new" },
    { line: 0, start: 5, end: 9, source: "new" },
  ];
  assert.equal(originsInWords({ newLines: ["a\n"], origins }), "");
});

test("the fixture's hunks are told", () => {
  const told = (fixture("edit.response").result as EditAnswer).hunks.map((hunk) => originsInWords(hunk));
  assert.deepEqual(told, [
    "- 70 % copied from the buffer\n- 20 % renamed as before: `Item`\n- 10 % new: `🍎`\n",
    "- 58 % project file shop/stock\\.py:12: `log.info(total)`\n- 42 % written before in this edit: `return total`\n",
    "",
  ]);
});

test("code stays code, whatever is in it", () => {
  assert.equal(code("a"), "`a`");
  assert.equal(code("a`b"), "``a`b``");
  assert.equal(code("``"), "``` `` ```");
  assert.equal(code("[x](command:y)"), "`[x](command:y)`");
});
