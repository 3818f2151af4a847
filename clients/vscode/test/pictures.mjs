// node test/pictures.mjs : takes the pictures of docs/images, of each state in a light and a dark theme, 900 and 1180 pixels wide.
//
// The edits are those of examples/demo, by the model that knows them by heart (EDITD_MODEL, as test/run.sh makes it):
// the pictures are about the editor. A follow-up, which that does not know, is made by a scripted engine. ONLY names one of
// the four looks: light, dark, wide, wide-dark.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, REPOSITORY, SHOTS, Workbench } from "./editor.mjs";
import { ask, bar, openFile, palette } from "./page.mjs";

const IMAGES = process.env.IMAGES ?? path.join(REPOSITORY, "docs/images");
const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" };
/** Theme, width, and what is added to the files' names. */
const LOOKS = [
  ["light", 900, ""],
  ["dark", 900, "-dark"],
  ["light", 1180, "-wide"],
  ["dark", 1180, "-wide-dark"],
];
const ONE = "Add a docstring to words.";
const MORE = "Say what it leaves out.";
const HEAD = "def words(text):";
const ANSWERS = {
  [ONE]: { [HEAD]: [HEAD, '    """The words of a text."""'] },
  [MORE]: { [HEAD]: [HEAD, '    """The words of a text in lower case, without numbers."""'] },
};
const DIFF = ".monaco-diff-editor";
const demo = (file) => fs.readFileSync(path.join(REPOSITORY, "examples/demo", file), "utf8");
const files = ["backup.py", "textstats.py", "cart.ts"];

const bench = new Workbench();
const config = `[model]\nname = ${JSON.stringify(process.env.EDITD_MODEL)}\n[decode]\nwindow = 3\n`;

/** Takes all pictures of one look, in a window of its own. */
async function look([theme, width, suffix]) {
  await bench.renew(`pictures${suffix}`, {
    files: Object.fromEntries(files.map((file) => [file, demo(file)])),
    config,
    settings: {
      "workbench.activityBar.location": "hidden",
      "workbench.colorTheme": THEMES[theme],
      "breadcrumbs.enabled": false,
      "editor.renderLineHighlight": "none",
      "editor.occurrencesHighlight": "off",
      "editor.stickyScroll.enabled": false,
      "editor.unicodeHighlight.ambiguousCharacters": false,
    },
  });
  const page = await bench.window("backup.py");
  const shot = (name) => page.screenshot({ path: path.join(IMAGES, `vscode-${name}${suffix}.png`) });
  /** A picture of so many pixels height, when lenses have settled. */
  const picture = async (name, height, lens = "Accept") => {
    await page.setViewportSize({ width, height });
    await page.locator(".codelens-decoration", { hasText: lens }).first().waitFor();
    await page.waitForTimeout(2000);
    await shot(name);
  };
  await page.setViewportSize({ width, height: 700 });
  await page.keyboard.press("Control+B");
  await bar(page, /editd$/);

  // --- whole lines, in the proposal ------------------------------------------------------------------
  await ask(page, "Wrap the body of main in try/except, report the error and return 1.");
  await bar(page, /rewriting, 1 hunk/);
  await shot("streaming");
  await bar(page, /editd: 1 hunk\b/);
  await picture("lines", 700);
  await page.keyboard.press("Alt+Enter");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await page.locator(".tab.active.dirty").waitFor();

  // --- the same in the file ----------------------------------------------------------------------------
  await openFile(page, "textstats.py");
  await ask(page, "Add a docstring to every class and function that has none.");
  await bar(page, /editd: 10 hunks ·/);
  await page.waitForFunction((diff) => document.activeElement?.closest(diff), DIFF);
  await page.keyboard.press("Escape");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await picture("closed", 460);
  await page.keyboard.press("Shift+Alt+Backspace");
  await bar(page, /editd$/);

  // --- words in their lines ----------------------------------------------------------------------------
  await openFile(page, "cart.ts");
  await ask(page, "Rename the interface LineItem to CartItem.");
  await bar(page, /\d+ hunks ·/);
  await palette(page, "Notifications: Clear All Notifications"); // code-server's own TypeScript has complaints
  await picture("words", 322);
  await page.keyboard.press("Shift+Alt+Backspace");
  await bar(page, /editd$/);

  // --- a follow-up -------------------------------------------------------------------------------------
  await bench.endDaemon();
  await bench.scriptedDaemon({ answers: ANSWERS, prefill_units: 20, unit_seconds: 0.4, lines_per_unit: 20 });
  await openFile(page, "textstats.py");
  await ask(page, ONE);
  await bar(page, /editd: 1 hunk\b/);
  await page.waitForFunction((diff) => document.activeElement?.closest(diff), DIFF);
  await page.keyboard.press("Control+Alt+R");
  await page.locator(".quick-input-title", { hasText: "what should be different" }).waitFor();
  await page.keyboard.type(MORE);
  await page.setViewportSize({ width, height: 460 });
  await page.keyboard.press("Enter");
  await picture("refining", 460, "is refining this");
  await page.close();
}

try {
  fs.mkdirSync(IMAGES, { recursive: true });
  bench.install(path.join(EXTENSION, "editd.vsix"));
  await bench.start();
  const { ONLY } = process.env;
  for (const [theme, width, suffix] of LOOKS) {
    if (!ONLY || ONLY === (suffix.slice(1) || "light")) await look([theme, width, suffix]);
  }
} catch (error) {
  console.log(error.stack);
  process.exitCode = 1;
  await bench.context
    ?.pages()
    .at(-1)
    ?.screenshot({ path: path.join(SHOTS, "error.png") });
} finally {
  await bench.stop();
}
process.exit();
