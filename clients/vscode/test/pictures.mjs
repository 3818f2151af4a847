// node test/pictures.mjs : takes the pictures of docs/images, from the real thing with the solved model.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, REPOSITORY, SHOTS, Workbench } from "./editor.mjs";
import { ask, bar, palette } from "./page.mjs";

const IMAGES = process.env.IMAGES ?? path.join(REPOSITORY, "docs/images");
const demo = (file) => fs.readFileSync(path.join(REPOSITORY, "examples/demo", file), "utf8");

const bench = new Workbench({
  files: { "inventory.py": demo("inventory.py") },
  settings: {
    "workbench.activityBar.location": "hidden",
    "breadcrumbs.enabled": false,
    "editor.fontSize": 14,
    "editor.renderLineHighlight": "none",
    "editor.occurrencesHighlight": "off",
  },
});
// Small steps: the solved model is over in a blink otherwise.
fs.writeFileSync(bench.at("config.toml"), "[decode]\nwindow = 2\n");
try {
  fs.mkdirSync(IMAGES, { recursive: true });
  bench.install(path.join(EXTENSION, "editd.vsix"));
  bench.editd(
    "edit",
    path.join(bench.folder, "inventory.py"),
    "-i",
    "Rename qty to quantity everywhere.",
    "--diff",
  );
  await bench.start();
  const page = await bench.window("inventory.py");
  await page.setViewportSize({ width: 1060, height: 700 });
  await page.keyboard.press("Control+B");
  const daemon = Number(/process\s+(\d+)/.exec(bench.editd("status"))[1]);
  await bar(page, /editd$/);

  await ask(page, "Rename qty to quantity everywhere.");
  await page.waitForFunction(
    () => /[4-9] hunks/.test(document.querySelector(".part.statusbar").innerText),
    null,
    { polling: "raf" },
  );
  process.kill(daemon, "SIGSTOP"); // held in the middle, until VS Code has put the lenses there too
  await page.locator(".codelens-decoration", { hasText: "Reject" }).nth(2).waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(IMAGES, "vscode-streaming.png") });
  process.kill(daemon, "SIGCONT");
  await bar(page, /\d+ hunks ·/);
  await page.keyboard.press("Shift+Alt+Backspace");
  await page.locator(".statusbar-item", { hasText: /hunks/ }).waitFor({ state: "detached" });
  fs.writeFileSync(bench.at("config.toml"), "");
  bench.editd("stop", "--force"); // daemon and server each have read it
  await palette(page, "editd: Restart Server");

  await ask(page, "Add type hints to every function.");
  await bar(page, /\d+ hunks ·/);
  await page.keyboard.press("Shift+Alt+Backspace");
  await ask(page, "Add type hints to every function."); // with the model warm
  await page.locator(".codelens-decoration a", { hasText: "Accept all" }).waitFor();
  await bar(page, /\d+ hunks ·/);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Alt+Enter");
  await page.keyboard.press("Alt+Enter");
  await bar(page, /editd: 15 hunks/);
  await page.locator(".codelens-decoration a", { hasText: "Accept all 15" }).waitFor();
  await page.waitForTimeout(1500); // lenses settle, one after the other
  await page.screenshot({ path: path.join(IMAGES, "vscode-done.png") });
} catch (error) {
  console.log(error.stack);
  process.exitCode = 1;
  await bench.context?.pages()[0]?.screenshot({ path: path.join(SHOTS, "error.png") });
} finally {
  await bench.stop();
}
process.exit();
