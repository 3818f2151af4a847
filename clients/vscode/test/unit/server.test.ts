// Which program is run, and how one is installed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findServer, type Machine } from "../../src/find-server";
import { installSteps, isNewEnough, shouldAskForTorchIndex, type InstallMachine } from "../../src/install";
import { initializationOptions } from "../../src/server-options";

function machine(programs: string[], rest: Partial<Machine> = {}): Machine {
  return {
    platform: "linux",
    searchPath: "/usr/local/bin:/usr/bin",
    home: "/home/ada",
    pythonInterpreter: undefined,
    workspaceFolders: ["/home/ada/shop"],
    isTrusted: true,
    ownEnvironment: "/home/ada/.storage/server",
    isProgram: (file) => programs.includes(file),
    ...rest,
  };
}

function check(setting: string, where: Machine, expected: string): void {
  const found = findServer(setting, where);
  assert.equal(
    found.kind === "missing"
      ? "missing"
      : `${found.kind === "found" ? found.origin : found.kind} ${found.program}`,
    expected,
  );
}

const VENV = "/home/ada/shop/.venv/bin/editd";
const CHOSEN = "/home/ada/envs/shop/bin/editd";
const ON_PATH = "/usr/bin/editd";
const OF_USER = "/home/ada/.local/bin/editd";
const OWN = "/home/ada/.storage/server/bin/editd";

test("the setting comes first, and is the only place tried if it is wrong", () => {
  check("/opt/editd", machine(["/opt/editd", ON_PATH]), "setting /opt/editd");
  check("~/bin/editd", machine(["/home/ada/bin/editd"]), "setting /home/ada/bin/editd");
  check("/opt/gone", machine([ON_PATH]), "broken-setting /opt/gone");
  check("editd", machine(["editd", ON_PATH]), "broken-setting editd");
});

test("then the chosen Python environment, the workspace's own, PATH, the user's programs, and our install", () => {
  const python = { pythonInterpreter: "/home/ada/envs/shop/bin/python" };
  check("", machine([CHOSEN, VENV, ON_PATH, OWN], python), `python-environment ${CHOSEN}`);
  check("", machine([VENV, ON_PATH, OWN], python), `python-environment ${VENV}`);
  check("", machine([ON_PATH, OF_USER, OWN]), `path ${ON_PATH}`);
  check("", machine([OF_USER, OWN]), `path ${OF_USER}`);
  check("", machine([OWN]), `own-environment ${OWN}`);
  check("", machine([]), "missing");
});

test("nothing of an untrusted workspace is run", () => {
  const untrusted = { isTrusted: false, pythonInterpreter: "/home/ada/envs/shop/bin/python" };
  check("", machine([CHOSEN, VENV, ON_PATH], untrusted), `path ${ON_PATH}`);
  const searchPath = "/home/ada/shop/node_modules/.bin:/usr/bin";
  const inside = "/home/ada/shop/node_modules/.bin/editd";
  check("", machine([inside, ON_PATH], { ...untrusted, searchPath }), `path ${ON_PATH}`);
  check("", machine([inside, ON_PATH], { searchPath }), `path ${inside}`);
  check("", machine([VENV, CHOSEN], untrusted), "missing");
  check("", machine([OF_USER], { ...untrusted, workspaceFolders: ["/home/ada"] }), "missing");
});

test("relative entries of PATH are passed over", () => {
  check("", machine(["bin/editd", "./editd", "editd"], { searchPath: "bin:.:" }), "missing");
});

const LINUX: InstallMachine = {
  platform: "linux",
  hasNvidia: false,
  ownEnvironment: "/storage/server",
  environment: {},
};

test("only on Linux without an NVIDIA GPU is the user asked for another build of PyTorch", () => {
  const ask = (rest: Partial<InstallMachine>, pip: string[] = []): boolean =>
    shouldAskForTorchIndex({ ...LINUX, ...rest }, pip);
  assert.equal(ask({}), true);
  assert.equal(ask({ hasNvidia: true }), false);
  assert.equal(ask({ platform: "darwin" }), false);
  assert.equal(ask({ environment: { PIP_EXTRA_INDEX_URL: "https://example.invalid/cpu" } }), false);
  assert.equal(ask({}, ["--extra-index-url", "https://example.invalid/cpu"]), false);
  assert.equal(ask({}, ["--index-url=https://example.invalid/cpu"]), false);
  assert.equal(ask({}, ["--quiet"]), true);
});

test("editd goes into an environment of its own, and pip looks where pip is told to", () => {
  const steps = installSteps("python3", LINUX, {
    package: "editd",
    pipArguments: ["--quiet"],
    torchIndex: "",
  });
  assert.deepEqual(
    steps.map((step) => [step.program, ...step.arguments].join(" ")),
    [
      "python3 -m venv --clear /storage/server",
      "/storage/server/bin/python -m pip install --disable-pip-version-check --no-input --quiet editd",
    ],
  );
});

test("an index for PyTorch is used for PyTorch alone, and first", () => {
  const torchIndex = "https://example.invalid/cpu";
  const steps = installSteps("python3", LINUX, { package: "editd", pipArguments: [], torchIndex });
  assert.deepEqual(
    steps.map(({ arguments: args }) => args.includes(torchIndex)),
    [false, true, false],
  );
  assert.deepEqual(steps[1]!.arguments.slice(-3), ["torch", "--index-url", torchIndex]);
});

test("an old Python is not taken", () => {
  for (const version of ["Python 3.11.2", "Python 3.14.0\n", "Python 4.0.0"])
    assert.ok(isNewEnough(version), version);
  for (const version of ["Python 3.10.12", "Python 2.7.18", "", "pypy"])
    assert.ok(!isNewEnough(version), version);
});

test("the server is told what was set, whether the workspace is trusted, and nothing else", () => {
  const nothing = { model: "", draftModel: "", presets: {} };
  const lsp = { progress: false, code_actions: false };
  const workspace = { trusted: false };
  assert.deepEqual(initializationOptions(nothing, workspace), { lsp, workspace });
  const chosen = { ...nothing, model: "embedded", presets: { german: "Auf Deutsch." } };
  assert.deepEqual(initializationOptions(chosen, { trusted: true }), {
    lsp,
    workspace: { trusted: true },
    model: { name: "embedded" },
    edit: { presets: { german: "Auf Deutsch." } },
  });
});
