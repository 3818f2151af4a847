import assert from "node:assert/strict";
import { test } from "node:test";
import { minimal } from "../../src/minimal";

function check(old: string, now: string, expected: [number, number, string][]): void {
  const changes = minimal(old, now);
  assert.deepEqual(
    changes.map(({ start, end, text }) => [start, end, text]),
    expected,
  );
  assert.equal(carriedOut(old, changes), now);
}

function carriedOut(old: string, changes: ReturnType<typeof minimal>): string {
  let result = "";
  let at = 0;
  for (const { start, end, text } of changes) {
    assert.ok(start >= at && end >= start && end <= old.length);
    result += old.slice(at, start) + text;
    at = end;
  }
  return result + old.slice(at);
}

test("lines that stay are left alone", () => check("a\nb\nc\n", "a\nB\nc\n", [[2, 3, "B"]]));
test("each line of as many is changed by itself", () =>
  check("ab\nx\ncd\n", "aB\nx\nCd\n", [
    [1, 2, "B"],
    [5, 6, "C"],
  ]));
test("lines that come in change nothing around them", () =>
  check("a\nb\n", "a\nnew\nb\n", [[2, 2, "new\n"]]));
test("half an emoji is never replaced", () => check("x🍎\n", "x🍏\n", [[1, 3, "🍏"]]));
test("a CR stays with its LF", () => check("a\r\n", "a\n", [[1, 3, "\n"]]));
test("nothing to do", () => check("a\n", "a\n", []));

test("whatever the texts, the changes turn one into the other", () => {
  let state = 3;
  const random = (below: number): number => (state = (state * 48271) % 2147483647) % below;
  const pieces = ["a", "b", "\n", "\r\n", "🍎", "🍏", " "];
  const text = (): string =>
    Array.from({ length: random(10) }, () => pieces[random(pieces.length)]!).join("");
  for (let round = 0; round < 5000; round++) {
    const [old, now] = [text(), text()];
    const changes = minimal(old, now);
    assert.equal(carriedOut(old, changes), now);
    for (const { start, end, text: inserted } of changes)
      for (const part of [old.slice(0, start), old.slice(end), inserted])
        assert.doesNotMatch(part, /^[\udc00-\udfff]|[\ud800-\udbff]$/);
  }
});
