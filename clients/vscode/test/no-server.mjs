// A machine without editd: what is said, and that it can be installed.
//
// What pip installs is a stand-in, a package whose program is the repository's: no registry is asked.
import fs from "node:fs";
import path from "node:path";
import { EDITD, SHOTS, until } from "./editor.mjs";
import { bar, offered, palette } from "./page.mjs";

export const title = "no server";

export const world = { files: { "a.txt": "one\ntwo\n" } };

export async function run(bench, checks) {
  const standIn = bench.makeFolder("package", {
    "setup.py": `from setuptools import setup\nsetup(name="editd", version="0.0.1", scripts=["editd"])\n`,
    editd: `#!/bin/sh\nexec '${EDITD}' "$@"\n`,
  });
  bench.set({
    "editd.server.path": "",
    "editd.install.package": standIn,
    "editd.preview": "inline", // the proposal has tests of its own
    "editd.install.pipArguments": ["--no-index", "--no-build-isolation"],
  });
  const program = bench.at("data/User/globalStorage/editd.editd/server/bin/editd");

  await bench.scriptedDaemon({ prefill_units: 0 });
  const page = await bench.window("a.txt");
  await bar(page, /editd: not installed/);
  checks.check(true, "the status bar says that there is no editd, and nobody is asked anything");
  const dialog = page.locator(".monaco-dialog-box");
  const choose = (label) => dialog.locator(".monaco-button", { hasText: label }).click();

  await page.keyboard.press("Control+Alt+R");
  await dialog.filter({ hasText: "editd is not installed on this machine" }).waitFor();
  await page.screenshot({ path: `${SHOTS}/8-offer.png` });
  await choose("Cancel");
  await dialog.waitFor({ state: "detached" });
  checks.check(!fs.existsSync(program), "it is offered, and nothing is installed without consent");

  await page.keyboard.press("Control+Alt+R");
  await dialog.filter({ hasText: "editd is not installed on this machine" }).waitFor();
  await choose("Install");
  if (!fs.existsSync("/dev/nvidiactl")) {
    await dialog.filter({ hasText: "This machine has no NVIDIA GPU" }).waitFor();
    await page.screenshot({ path: `${SHOTS}/9-torch.png` });
    checks.check(true, "without an NVIDIA GPU it is asked which build of PyTorch to take");
    await choose("Install the usual build");
  }
  await until(() => fs.existsSync(program), "the program", 150);
  await bar(page, /editd$/);
  checks.check(true, "it is installed into an environment of its own, and started");
  await page.locator(".quick-input-title", { hasText: "editd: rewrite" }).waitFor(); // what was asked for at first
  await page.keyboard.type("Write it in capitals.");
  await page.keyboard.press("Enter");
  await bar(page, /editd: 2 hunks/);
  checks.check(true, "and goes on with what was asked for");
  await offered(page, "Reject All Hunks");
  await page.keyboard.press("Shift+Alt+Backspace");

  await palette(page, "Welcome: Open Walkthrough...");
  await page.keyboard.type("Get started with editd");
  await page
    .locator(".quick-input-list .monaco-list-row", { hasText: "Get started with editd" })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".getting-started-step", { hasText: "Accept or reject" }).waitFor();
  await page.screenshot({ path: `${SHOTS}/10-walkthrough.png` });
  checks.check(
    (await page.locator(".getting-started-step").count()) === 4,
    "the walkthrough has its four steps",
  );
}
