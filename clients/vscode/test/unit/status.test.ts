// The table of what the status bar says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isAboutModel } from "../../src/editor-words";
import { daemonFacts } from "../../src/figures";
import type { EditAnswer, ServerStatus } from "../../src/protocol";
import { statusText, type Situation } from "../../src/status-text";

const server = (state: ServerStatus["state"], more: Partial<ServerStatus> = {}): ServerStatus => ({
  ...{ state, model: "m", message: "", queue: 0, schemaVersion: 2 },
  ...more,
});
const answer = (status: EditAnswer["status"], summary = "", hunks = 0, rate = 0): EditAnswer =>
  ({ status, summary, hunks: Array(hunks), stats: { tokens_per_second: rate } }) as EditAnswer;

test("one thing at a time, what goes on in this document first", () => {
  const check = (given: Partial<Situation>, expected: string): void =>
    assert.equal(statusText({ process: "running", isEditing: false, hunks: 0, ...given }).text, expected);
  const loading = server("loading", { fraction: 0.9 });
  check({}, "");
  check({ process: "missing" }, "not installed");
  check({ process: "starting" }, "starting");
  check({ server: server("error") }, "error");
  // Opening the box warms the model up: that is its own affair unless it is loaded.
  check({ server: server("starting") }, "");
  check({ server: server("busy") }, "");
  check({ server: loading }, "loading 90 %");
  check({ server: loading, isEditing: true }, "loading 90 %");
  check({ server: server("starting"), isEditing: true }, "starting");
  check({ server: server("busy"), isEditing: true }, "rewriting");
  check({ server: server("busy", { queue: 2 }), isEditing: true }, "waiting (2 before)");
  check({ server: server("busy"), isEditing: true, hunks: 3 }, "rewriting, 3 hunks");
  check(
    { server: loading, hunks: 1, last: answer("ok", "Computed from the words.") },
    "1 hunk · computed from the words",
  );
  check({ hunks: 2, last: answer("ok", "", 2, 223.4) }, "2 hunks · 223 tokens/s");
  check({ hunks: 2, last: answer("ok", "", 2, 0.4) }, "2 hunks");
  check({ last: answer("cancelled", "", 0, 0.2) }, "cancelled");
  check({ last: answer("ok", "Exactly what the words say.", 1) }, "");
  check({ last: answer("failed", "") }, "");
  check({ server: loading, last: answer("cancelled") }, "cancelled");
});

test("what shares the daemon is counted in words", () => {
  const check = (clients: number, expected: string): void => {
    const facts = daemonFacts(server("idle", { daemon: { clients } }));
    assert.equal(facts.find(([name]) => name === "Shared by")?.[1] ?? "", expected);
  };
  check(0, "");
  check(1, "1 editor or script");
  check(3, "3 editors and scripts");
});

test("a sentence that names the button for models is about them", () => {
  assert.equal(isAboutModel("It knows a few edits: choose a larger model (“Choose Model…”)."), true);
  assert.equal(isAboutModel("It broke; see “Show Log”."), false);
});
