import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditAnswer, EditDelta, EditRebased } from "../../src/protocol";
import { Review, hunkAfter, hunkAt, hunkBefore } from "../../src/review";
import { fixture } from "./fixtures";

const delta = (name: string): EditDelta => fixture(`editDelta${name}.notification`).params as EditDelta;
const rebased = (name: string): EditRebased =>
  fixture(`editRebased${name}.notification`).params as EditRebased;

function streamed(): Review {
  const review = new Review("edit-1", 3);
  review.takeDelta(delta(""));
  review.takeDelta(delta(".growing"));
  return review;
}

test("hunks appear as the deltas tell them, and one that grows is not pending", () => {
  const review = streamed();
  assert.deepEqual(
    review.open().map(({ id, start, done }) => [id, start, done]),
    [
      [1, 1, true],
      [2, 4, false],
    ],
  );
  assert.deepEqual(
    review.pending().map(({ id }) => id),
    [1],
  );
  assert.equal(review.walked, 4);
});

test("a later delta replaces a hunk of the same id", () => {
  const review = streamed();
  review.takeDelta(delta(".stale"));
  assert.equal(review.version, 4);
  assert.deepEqual(
    review.open().map(({ id, start, state }) => [id, start, state]),
    [
      [1, 1, "ok"],
      [2, 5, "ok"],
      [3, 7, "stale"],
    ],
  );
});

test("a delta that is old news changes nothing", () => {
  const review = streamed();
  assert.equal(review.takeDelta(delta("")), false);
  assert.equal(review.open().length, 2);
});

test("a delta after the end changes nothing", () => {
  const review = streamed();
  review.finish(fixture("edit.cancelled.response").result as EditAnswer);
  assert.equal(review.takeDelta(delta(".stale")), false);
  assert.deepEqual(review.open(), []);
  assert.equal(review.state, "cancelled");
});

test("the document moves hunks and makes them stale", () => {
  const review = streamed();
  review.takeRebased(rebased(""));
  assert.equal(review.version, 4);
  assert.deepEqual(
    review.open().map(({ id, start, state }) => [id, start, state]),
    [
      [1, 1, "stale"],
      [2, 5, "ok"],
    ],
  );
});

test("an accept that has arrived takes its hunk out of sight for good", () => {
  const review = streamed();
  review.takeRebased(rebased(".accepted"));
  assert.deepEqual(
    review.open().map(({ id }) => id),
    [2],
  );
  review.finish(fixture("edit.response").result as EditAnswer);
  assert.deepEqual(
    review.open().map(({ id }) => id),
    [2, 3],
  );
  assert.equal(review.count("accepted"), 1);
});

test("the answer's hunks are all there are", () => {
  const review = streamed();
  review.finish(fixture("edit.response").result as EditAnswer);
  assert.equal(review.state, "ok");
  assert.deepEqual(
    review.pending().map(({ id }) => id),
    [1, 2, 3],
  );
  assert.match(review.open()[2]!.suspect!, /deletes 2 lines/);
  assert.match(review.open()[1]!.note!, /do not name/);
  assert.equal(review.open()[1]!.noteSpans![0]!.text, "hesitated here: `total` or `items`");
  assert.deepEqual(
    review.answer!.ways.map(({ name }) => name),
    ["again", "whole"],
  );
  assert.equal(review.changedLines(), 1 + 2 + 2);
});

test("rejected hunks stay rejected when the answer names them again", () => {
  const review = streamed();
  review.settle([1], "rejected");
  review.finish(fixture("edit.response").result as EditAnswer);
  assert.deepEqual(
    review.open().map(({ id }) => id),
    [2, 3],
  );
});

test("hunks that come after a reject-all are rejected too", () => {
  const review = new Review("edit-1", 3);
  review.takeDelta(delta(""));
  review.dismiss();
  review.takeDelta(delta(".growing"));
  assert.deepEqual(review.open(), []);
  review.finish(fixture("edit.response").result as EditAnswer);
  assert.deepEqual(review.open(), []);
  assert.equal(review.count("rejected"), 3);
});

test("the hunk at, after and before a line", () => {
  const review = new Review("edit-1", 3);
  review.finish(fixture("edit.response").result as EditAnswer); // 1..2, insertion at 4, 6..8
  const hunks = review.open();
  const check = (line: number, at?: number, after?: number, before?: number): void => {
    assert.equal(hunkAt(hunks, line)?.id, at, `at ${line}`);
    assert.equal(hunkAfter(hunks, line)?.id, after, `after ${line}`);
    assert.equal(hunkBefore(hunks, line)?.id, before, `before ${line}`);
  };
  check(0, undefined, 1, 3);
  check(1, 1, 2, 3);
  check(3, undefined, 2, 1);
  check(4, 2, 3, 1);
  check(7, 3, 1, 2);
  check(9, undefined, 1, 3);
});
