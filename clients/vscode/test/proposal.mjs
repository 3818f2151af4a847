// A change of whole lines, with real keys: the diff editor in which it is shown, and the way back from it.
import fs from "node:fs";
import path from "node:path";
import { REPOSITORY, SHOTS, until } from "./editor.mjs";
import { ask, bar, isDirty, offered, openFile, record } from "./page.mjs";

const DEMO = path.join(REPOSITORY, "examples/demo");
const demo = (file) => fs.readFileSync(path.join(DEMO, file), "utf8");
const TRY = "Wrap the body of main in try/except, report the error and return 1.";
const DOCSTRINGS = "Add a docstring to every class and function that has none.";

/** What only a model can do: a new function, a bug by description. */
const BY_MODEL = [
  ["lru.py", "Add a method pop(key, default) to LRUCache.", "after/lru-method.py"],
  ["limiter.go", "Make Limiter safe for concurrent use.", "after/limiter-mutex.go"],
];

const CELL = { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: ["price = 1"] };
const NOTEBOOK = JSON.stringify({ cells: [CELL], metadata: {}, nbformat: 4, nbformat_minor: 5 });

export const title = "a proposal";

export const world = {
  files: {
    "backup.py": demo("backup.py"),
    "textstats.py": demo("textstats.py"),
    "cart.ts": demo("cart.ts"),
    ...Object.fromEntries(BY_MODEL.map(([file]) => [file, demo(file)])),
    "note.ipynb": NOTEBOOK,
  },
  settings: {
    "workbench.colorTheme": process.env.THEME ?? "Default Light Modern",
    "files.readonlyInclude": { "**/cart.ts": true },
  },
  config: `[model]\nname = ${JSON.stringify(process.env.EDITD_MODEL)}\n[decode]\nwindow = 3\n`,
};

const DIFF = ".monaco-diff-editor";

export async function run(bench, checks) {
  const disk = (file) => fs.readFileSync(path.join(bench.folder, file), "utf8");
  const shot = (page, name) => page.screenshot({ path: `${SHOTS}/proposal-${name}.png` });
  const page = await bench.window("backup.py");
  const width = Number(process.env.WIDTH ?? 1180);
  await page.setViewportSize({ width, height: 760 });
  await bar(page, /editd$/);

  // --- while it streams -----------------------------------------------------------------------------
  await goTo(page, 40);
  await record(page);
  await page.evaluate(watchGreen, DIFF);
  await ask(page, TRY);
  await page.locator(DIFF).waitFor();
  await page.waitForFunction(() => globalThis.__green.some((count) => count > 0));
  await shot(page, "streaming");
  await bar(page, /editd: 1 hunk\b/);
  await lens(page, "Accept Alt+Enter").waitFor();
  const green = await page.evaluate(() => globalThis.__green);
  const from = green.findIndex((count) => count > 0);
  checks.check(
    green.slice(from).every((count) => count > 0),
    "once new lines are marked, they stay so",
    green.join(),
  );
  await page.waitForTimeout(800);
  await shot(page, "try");
  checks.check(
    !(await page.locator(`${DIFF}.side-by-side`).count()) &&
      (await page.locator(`${DIFF} .line-insert`).count()) > 5,
    "whole lines stand one above the other in a diff editor",
  );
  checks.check(disk("backup.py") === demo("backup.py") && !(await isDirty(page)), "the file is untouched");

  // --- the last decision ends it --------------------------------------------------------------------
  await page.keyboard.press("Alt+Enter");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await page.locator(".tab.active.dirty", { hasText: "backup.py" }).waitFor();
  await page.locator(".statusbar-item", { hasText: "Ln 40," }).waitFor();
  checks.check(true, "the last decision leads back to the file, with the cursor where it was");
  await page.keyboard.press("Control+S");
  await until(() => disk("backup.py") === demo("after/backup-try.py"), "the edit on the disk").catch(
    () => {},
  );
  checks.check(disk("backup.py") === demo("after/backup-try.py"), "what was accepted is in the file");

  // --- hunk by hunk -----------------------------------------------------------------------------------
  await openFile(page, "textstats.py");
  await ask(page, DOCSTRINGS);
  await page.locator(DIFF).waitFor();
  await bar(page, /editd: \d+ hunks/);
  await offered(page, "Accept All Hunks");
  const total = await hunks(page);
  const left = (count) => bar(page, new RegExp(`editd: ${count} hunks?\\b`));
  await page.waitForTimeout(800);
  await shot(page, "docstrings");
  await page.keyboard.press("Alt+Enter");
  await left(total - 1);
  await page.keyboard.press("Alt+Backspace");
  await left(total - 2);
  await page.waitForTimeout(800);
  await shot(page, "decided");
  checks.check((await page.locator(DIFF).count()) === 1, "keys accept and reject in the proposal");
  await page.keyboard.press("Escape");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await page.waitForTimeout(800);
  await shot(page, "closed");
  checks.check((await hunks(page)) === total - 2, "Escape closes the proposal, and the hunks stay");
  await page.keyboard.press("Alt+F6");
  await page.waitForFunction((diff) => document.activeElement?.closest(`${diff} .modified`), DIFF);
  checks.check(true, "Alt+F6 shows it again");
  await page.keyboard.press("Shift+Alt+Enter");
  await page.locator(DIFF).waitFor({ state: "detached" });
  await page.keyboard.press("Control+Z");
  await left(total - 2);
  checks.check(!(await page.locator(DIFF).count()), "the undo brings them back, and opens nothing");

  // --- the next key is on the screen ------------------------------------------------------------------
  await page.setViewportSize({ width, height: 420 });
  await page.keyboard.press("Control+Home");
  await page.waitForFunction(seesEdge, "below");
  await shot(page, "edge");
  checks.check(await page.evaluate(seesEdge, "below"), "hunks below are counted at the edge, with the key");
  await page.keyboard.press("Alt+F5");
  await page.setViewportSize({ width, height: 760 });
  await page.keyboard.press("Shift+Alt+Backspace");
  await bar(page, /editd$/);
  await page.keyboard.press("Control+Alt+R");
  const box = page.locator(".quick-input-widget input.input");
  await page.locator(".quick-input-title", { hasText: "editd: rewrite" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await until(async () => (await box.inputValue()) === DOCSTRINGS, "the last instruction").catch(() => {});
  await page.keyboard.press("ArrowUp");
  await until(async () => (await box.inputValue()) === TRY, "the one before it").catch(() => {});
  checks.check((await box.inputValue()) === TRY, "Up brings the last instructions", await box.inputValue());
  await shot(page, "box");
  await page.keyboard.press("Escape");

  // --- hunk by hunk, until the last ------------------------------------------------------------------
  for (const [file, instruction, after] of BY_MODEL) {
    await openFile(page, file);
    await ask(page, instruction);
    await bar(page, /editd: \d+ hunks? ·/);
    for (let count = await hunks(page); count; count = await hunks(page)) {
      await page.keyboard.press("Alt+Enter"); // where none is at the cursor, it goes there
      await until(async () => (await hunks(page)) < count, "the next decision", 3).catch(() => {});
    }
    await page.locator(".tab.active.dirty", { hasText: file }).waitFor();
    await page.keyboard.press("Control+S");
    await until(() => disk(file) === demo(after), `${file} on the disk`).catch(() => {});
    checks.check(
      disk(file) === demo(after),
      `a model's hunks are accepted by key: ${instruction}`,
      disk(file),
    );
  }

  // --- a file that cannot be changed ------------------------------------------------------------------
  await openFile(page, "cart.ts");
  await page.keyboard.press("Control+Alt+R");
  // VS Code may show messages of its own.
  await page.locator(".notification-list-item-message", { hasText: "read-only" }).first().waitFor();
  checks.check(true, "a read-only file has its answer");
  await page.locator(".notification-list-item", { hasText: "read-only" }).getByText("Open a Copy").click();
  await page.locator(".tab.active", { hasText: "Untitled-1" }).waitFor();
  await page.locator(".view-line", { hasText: "Shopping cart" }).waitFor();
  await page.keyboard.press("Control+Alt+R");
  await page.locator(".quick-input-title", { hasText: "editd: rewrite" }).waitFor();
  await page.keyboard.press("Escape");
  checks.check(true, "and a copy of it, which can be rewritten");
  await page.keyboard.press("Control+P");
  await page.locator(".quick-input-widget input.input").waitFor();
  await page.keyboard.type("note.ipynb");
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "note.ipynb" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".cell .view-line", { hasText: "price" }).click();
  await page.keyboard.press("Control+Alt+R");
  const toast = page.locator(".notification-list-item", { hasText: "notebook" });
  await toast.getByText("Open a Copy").click();
  await page.locator(".tab.active", { hasText: "Untitled-2" }).waitFor();
  await page.locator(".editor-instance .view-line", { hasText: "price = 1" }).waitFor();
  checks.check(true, "and a cell of a notebook has them, too");
}

/** Whether the page says at its edge that there are hunks on that side. Text of decorations is in no element. */
function seesEdge(side) {
  return [...document.querySelectorAll(".editor-instance .view-line span")].some((span) =>
    getComputedStyle(span, "::after").content.replaceAll("\u00a0", " ").includes(`hunks ${side} `),
  );
}

/** Records in the page how many lines of the proposal are marked as new, at each change. */
function watchGreen(diff) {
  const seen = (globalThis.__green = []);
  new MutationObserver(() => {
    const editor = document.querySelector(`${diff} .editor.modified`);
    if (!editor) return;
    const count = editor.querySelectorAll(
      ".view-overlays .line-insert, .view-overlays .cdr[class*='ced-']",
    ).length;
    if (seen.at(-1) !== count) seen.push(count);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}

function lens(page, words) {
  return page.locator(`${DIFF} .codelens-decoration`, { hasText: words }).first();
}

async function hunks(page) {
  const item = await page.locator(".statusbar-item", { hasText: "editd" }).first().innerText();
  return Number(/(\d+) hunk/.exec(item)?.[1] ?? 0);
}

async function goTo(page, line) {
  await page.keyboard.press("Control+G");
  await page.locator(".quick-input-widget input.input").waitFor();
  await page.keyboard.type(String(line));
  await page.keyboard.press("Enter");
}
