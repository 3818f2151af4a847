// What the list of models becomes for a user.

import assert from "node:assert/strict";
import { test } from "node:test";
import { modelChoices } from "../../src/model-choices";

const LIST = {
  used: "embedded",
  here: [
    {
      name: "ollama:coder:7b",
      size_bytes: 4.7e9,
      quantisation: "Q4_K_M",
      context: 32768,
      fits: true,
      edits: "",
      unusable: "",
    },
    {
      name: "hf:org/small",
      size_bytes: 98e6,
      quantisation: "",
      context: 0,
      fits: false,
      edits: "not",
      unusable: "",
    },
    {
      name: "hf:org/embed",
      size_bytes: 1e6,
      quantisation: "F16",
      context: 512,
      fits: true,
      edits: "",
      unusable: "does not write",
    },
  ],
};

test("each model says what it is, and one that writes nothing is not offered", () => {
  assert.deepEqual(
    modelChoices(JSON.stringify(LIST), "").map(({ label, description }) => [label, description]),
    [
      ["As editd is configured", "embedded"],
      ["ollama:coder:7b", "4.7 GB · Q4_K_M · context 32k · any edit"],
      ["hf:org/small", "98 MB · edits not · does not fit into memory"],
      ["Browse for a .gguf…", "A file of weights on this machine"],
    ],
  );
});

test("the one in use stands first", () => {
  assert.equal(modelChoices(JSON.stringify(LIST), "hf:org/small")[0]?.model, "hf:org/small");
});

test("another program's answer is refused in a sentence", () => {
  assert.throws(() => modelChoices("{}", ""), /older than the extension/);
});
