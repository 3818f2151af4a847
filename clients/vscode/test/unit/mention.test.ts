// Where a mention begins in what is typed, and what becomes of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { completed, mentionAtEnd, offers } from "../../src/mention";
import type { MentionList } from "../../src/protocol";
import { fixture } from "./fixtures";

const { mentions } = fixture("mentions.response").result as MentionList;

test("a mention begins with an @ that no word, path or address is before", () => {
  const table: [string, string | undefined, string?][] = [
    ["use @ut", "use ", "ut"],
    ["@", "", ""],
    ["(@a", "(", "a"],
    ['as in @"two w', "as in ", '"two w'],
    ["see @a.py and @src/b", "see @a.py and ", "src/b"],
    ["mail me@example", undefined],
    ["use @util.py ", undefined],
    ['use @"two words.py"', undefined],
    ["nothing", undefined],
  ];
  for (const [typed, before, prefix] of table)
    assert.deepEqual(mentionAtEnd(typed), before === undefined ? undefined : { before, prefix }, typed);
});

test("names are offered until one is typed in full, and stand in the place of what is typed", () => {
  const mention = mentionAtEnd("as in @to")!;
  assert.equal(offers(mention, mentions).length, mentions.length);
  assert.deepEqual(offers(mentionAtEnd("@total")!, mentions), []);
  assert.equal(completed(mention, mentions[1]!.name), 'as in @"shop/to do.md" ');
});
