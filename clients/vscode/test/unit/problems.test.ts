import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines, newProblem, type Problem } from "../../src/new-problems";

const replaced = (start: number, end: number, newText: string) => ({
  range: { start: { line: start }, end: { line: end } },
  newText,
});
const problem = (message: string, line: number): Problem => ({
  message,
  source: "lint",
  lines: { start: line, end: line + 1 },
});

test("the accepted lines are where all edits leave them", () => {
  const edits = [replaced(5, 6, "x\n"), replaced(1, 1, "a\nb\n"), replaced(9, 11, "")];
  assert.deepEqual(changedLines(edits), [
    { start: 1, end: 3 },
    { start: 7, end: 8 },
    { start: 11, end: 12 },
  ]);
});

for (const [name, known, now, found] of [
  ["a new one in the lines", [], [problem("bad", 2)], "bad"],
  ["a new one elsewhere", [], [problem("bad", 7)], undefined],
  ["a known one that moved into them", [problem("bad", 9)], [problem("bad", 2)], undefined],
  ["one more of a known kind", [problem("bad", 9)], [problem("bad", 9), problem("bad", 2)], "bad"],
  ["one that went away", [problem("bad", 2)], [], undefined],
] as const) {
  test(`problems: ${name}`, () => {
    assert.equal(newProblem([...known], [...now], [{ start: 1, end: 4 }])?.message, found);
  });
}
