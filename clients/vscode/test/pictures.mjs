// node test/pictures.mjs : takes the pictures of docs/images, with the embedded model at its own speed.
//
// The file is requests/structures.py out of the Python environment: the model was not trained on that package.
// Prints what editd says of the edit. The model must have been pulled (`editd models pull embedded`).
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, PYTHON, REPOSITORY, SHOTS, Workbench } from "./editor.mjs";
import { ask, bar, palette } from "./page.mjs";

const IMAGES = process.env.IMAGES ?? path.join(REPOSITORY, "docs/images");
const INSTRUCTION = "Wrap the body of __init__ in try/except.";
const FILE = "structures.py";
const package_ = execFileSync(PYTHON, ["-c", "import requests; print(requests.__path__[0])"]);
const source = fs.readFileSync(path.join(package_.toString().trim(), FILE), "utf8");

const bench = new Workbench({
  files: { [FILE]: source, "x.py": "x = 1\n" },
  settings: {
    "workbench.activityBar.location": "hidden",
    "breadcrumbs.enabled": false,
    "editor.fontSize": 14,
    "editor.renderLineHighlight": "none",
    "editor.occurrencesHighlight": "off",
    "editor.stickyScroll.enabled": false,
  },
  env: { EDITD_MODEL: "embedded", EDITD_EDIT_WORDS: "true" },
});
const picture = (page, name) => page.screenshot({ path: path.join(IMAGES, `vscode-${name}.png`) });
try {
  fs.mkdirSync(IMAGES, { recursive: true });
  bench.install(path.join(EXTENSION, "editd.vsix"));
  await bench.start();
  const page = await bench.window(FILE);
  await page.setViewportSize({ width: 1180, height: 700 });
  await page.keyboard.press("Control+B");
  await bar(page, /editd$/);
  // The model is in memory, and has not seen this file.
  bench.editd("edit", bench.at("shop/x.py"), "-i", "Rename x to y.", "--way", "model", "--diff");

  await palette(page, "Go to Line/Column");
  await page.keyboard.type("50");
  await page.keyboard.press("Enter");
  await ask(page, INSTRUCTION);
  const asked = Date.now();
  await page.locator(".codelens-decoration", { hasText: "Reject" }).first().waitFor();
  await picture(page, "streaming");
  console.log(`after ${(Date.now() - asked) / 1000} s the first picture`);

  await bar(page, /2 hunks ·/);
  console.log(`after ${(Date.now() - asked) / 1000} s all is there`);
  await page.waitForTimeout(1500); // lenses settle, one after the other
  await picture(page, "done");
  console.log(await page.locator(".statusbar-item", { hasText: /hunks/ }).first().innerText());
} catch (error) {
  console.log(error.stack);
  process.exitCode = 1;
  await bench.context?.pages()[0]?.screenshot({ path: path.join(SHOTS, "error.png") });
} finally {
  await bench.stop();
}
process.exit();
