// What a workspace that the user does not trust can do (nothing).
import fs from "node:fs";
import path from "node:path";
import { EDITD, SHOTS, until } from "./editor.mjs";
import { ask, bar, offered, palette } from "./page.mjs";

export const title = "trust";

export const world = {
  files: { "a.txt": "one\ntwo\n" },
  settings: {
    "editd.server.path": "",
    "editd.preview": "inline", // the proposal has tests of its own
    "security.workspace.trust.enabled": true,
    "security.workspace.trust.startupPrompt": "never",
  },
};

export async function run(bench, checks) {
  // Three programs called editd. Each writes down that it was run, and what it was told.
  const program = (name, ...folder) => {
    const file = path.join(...folder, "editd");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `#!/bin/sh\ntee -a '${bench.at(`${name}.told`)}' | exec '${EDITD}' "$@"\n`, {
      mode: 0o755,
    });
    return file;
  };
  const told = (name) =>
    fs.existsSync(bench.at(`${name}.told`)) ? fs.readFileSync(bench.at(`${name}.told`), "utf8") : "";
  program("path", bench.at("bin")); // where PATH begins
  program("environment", bench.folder, ".venv", "bin");
  const workspaceSettings = (settings) => {
    fs.mkdirSync(path.join(bench.folder, ".vscode"), { recursive: true });
    fs.writeFileSync(path.join(bench.folder, ".vscode", "settings.json"), JSON.stringify(settings));
  };
  const forbidden = {
    "editd.server.path": program("setting", bench.folder, "tools"),
    "editd.model": "/model/of/the/workspace",
  };
  workspaceSettings(forbidden);

  await bench.scriptedDaemon({ prefill_units: 0 });
  const page = await bench.window("a.txt");
  await bar(page, /Restricted Mode/);
  await bar(page, /editd$/);
  await until(() => told("path").includes('"initialize"'), "the server");
  checks.check(
    !told("environment") && !told("setting"),
    "in Restricted Mode no program of the workspace is run",
  );
  checks.check(
    told("path").includes('"workspace":{"trusted":false}'),
    "the server hears that it is not trusted",
  );
  checks.check(
    !told("path").includes("/model/of/the/workspace"),
    "no model of the workspace gets to the server",
  );
  await page.locator(".editor-instance .view-lines").click();
  await ask(page, "Write it in capitals.");
  await bar(page, /editd: \d+ hunk/);
  checks.check(true, "rewriting works");
  await page.screenshot({ path: `${SHOTS}/6-restricted.png` });
  await offered(page, "Reject All Hunks");
  await page.keyboard.press("Shift+Alt+Backspace");

  await palette(page, "Workspaces: Manage Workspace Trust");
  await page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().waitFor();
  await page.screenshot({ path: `${SHOTS}/7-trust.png` });
  await page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
  await until(
    () => /"editd\/workspace","params":\{"trusted":true\}/.test(told("path")),
    "the word that it is trusted",
  );
  checks.check(true, "the running server hears when the user trusts the workspace");
  workspaceSettings({ ...forbidden, "editd.presets": { "from-the-workspace": "Do as it says." } });
  await until(() => told("path").includes("from-the-workspace"), "the preset");
  checks.check(true, "a preset of the workspace then reaches the running server");
  checks.check(
    !["path", "setting", "environment"].some((name) => told(name).includes("/model/of/the/workspace")) &&
      !told("setting"),
    "a path or a model is not taken from a workspace even then",
  );
  await palette(page, "editd: Restart");
  await until(() => told("environment").includes('"initialize"'), "the environment's server");
  checks.check(
    /"workspace":\{"trusted":true\}.*from-the-workspace/.test(told("environment")),
    "a server that is started anew comes out of the workspace's environment",
  );
  fs.rmSync(bench.at("bin"), { recursive: true });
}
