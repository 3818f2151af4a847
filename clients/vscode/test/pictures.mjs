// node test/pictures.mjs : takes the pictures of docs/images.
//
// The edits are those of examples/demo, by the model that knows them by heart (EDITD_MODEL, as test/run.sh makes it):
// the pictures are about the editor. THEME names another of VS Code's themes, WIDTH another width, SUFFIX is added to the
// files' names: THEME="Default Dark Modern" WIDTH=1180 SUFFIX=-dark.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, REPOSITORY, SHOTS, Workbench } from "./editor.mjs";
import { ask, bar, openFile, palette } from "./page.mjs";

const IMAGES = process.env.IMAGES ?? path.join(REPOSITORY, "docs/images");
const WIDTH = Number(process.env.WIDTH ?? 900);
const SUFFIX = process.env.SUFFIX ?? "";
const DIFF = ".monaco-diff-editor";
const demo = (file) => fs.readFileSync(path.join(REPOSITORY, "examples/demo", file), "utf8");
const files = ["backup.py", "textstats.py", "cart.ts"];

const bench = new Workbench({
  files: Object.fromEntries(files.map((file) => [file, demo(file)])),
  settings: {
    "workbench.activityBar.location": "hidden",
    "workbench.colorTheme": process.env.THEME ?? "Default Light Modern",
    "breadcrumbs.enabled": false,
    "editor.renderLineHighlight": "none",
    "editor.occurrencesHighlight": "off",
    "editor.stickyScroll.enabled": false,
    "editor.unicodeHighlight.ambiguousCharacters": false,
  },
});
fs.writeFileSync(
  bench.at("config.toml"),
  `[model]\nname = ${JSON.stringify(process.env.EDITD_MODEL)}\n[decode]\nwindow = 3\n[edit]\nwords = false\n`,
);

/** A picture of so many pixels height, when lenses have settled. */
async function picture(page, name, height) {
  await page.setViewportSize({ width: WIDTH, height });
  await page.locator(".codelens-decoration a", { hasText: "Accept" }).first().waitFor();
  await page.waitForTimeout(2000);
  await page.screenshot({ path: path.join(IMAGES, `vscode-${name}${SUFFIX}.png`) });
}

try {
  fs.mkdirSync(IMAGES, { recursive: true });
  bench.install(path.join(EXTENSION, "editd.vsix"));
  await bench.start();
  const page = await bench.window("backup.py");
  await page.setViewportSize({ width: WIDTH, height: 700 });
  await page.keyboard.press("Control+B");
  await bar(page, /editd$/);

  await ask(page, "Wrap the body of main in try/except, report the error and return 1.");
  await bar(page, /rewriting, 1 hunk/);
  await page.screenshot({ path: path.join(IMAGES, `vscode-streaming${SUFFIX}.png`) });
  await bar(page, /editd: 1 hunk\b/);
  await picture(page, "lines", 700);
  await page.keyboard.press("Alt+Enter");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await page.locator(".tab.active.dirty").waitFor();

  await openFile(page, "textstats.py");
  await ask(page, "Add a docstring to every class and function that has none.");
  await bar(page, /editd: 10 hunks ·/);
  await page.waitForFunction((diff) => document.activeElement?.closest(diff), DIFF);
  await page.keyboard.press("Escape");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await picture(page, "closed", 460);
  await page.keyboard.press("Shift+Alt+Backspace");
  await bar(page, /editd$/);

  await openFile(page, "cart.ts");
  await ask(page, "Rename the interface LineItem to CartItem.");
  await bar(page, /\d+ hunks ·/);
  await palette(page, "Notifications: Clear All Notifications"); // code-server's own TypeScript has complaints
  await picture(page, "words", 322);
} catch (error) {
  console.log(error.stack);
  process.exitCode = 1;
  await bench.context?.pages()[0]?.screenshot({ path: path.join(SHOTS, "error.png") });
} finally {
  await bench.stop();
}
process.exit();
