// A key that is pressed as soon as a hunk is in sight, while its proposal opens.
import { ask, bar, openFile, palette } from "./page.mjs";

const PAUSES_MS = [0, 20, 50, 80, 120, 200];
const name = (pause) => `after${pause}.py`;
const FILE = "def stays():\n    return 1\n\n\ndef goes():\n    return 2\n\n\ndef last():\n    return 3\n";
const LINES = { "whole lines": "two", "a part of a line": "the value is two" };
const followed = (kind) => `${kind.replaceAll(" ", "-")}.txt`;
const LOUD = "Write it in capitals.";
const LOUDER = "And add a line.";
const MORE = "and a half";
/** The answer to an instruction: each of the lines in capitals, and `more`. */
const answer = (...more) =>
  Object.fromEntries(Object.values(LINES).map((line) => [line, [line.replace("two", "TWO"), ...more]]));
const ANSWERS = { [LOUD]: answer(), [LOUDER]: answer(MORE) };

export const title = "an early key";

export const world = {
  files: {
    ...Object.fromEntries(PAUSES_MS.map((pause) => [name(pause), FILE])),
    ...Object.fromEntries(Object.entries(LINES).map(([kind, line]) => [followed(kind), `one\n${line}\n`])),
    "early.txt": "one\ntwo\n",
  },
  settings: { "editd.warmUp": "never" },
  words: true, // such an edit comes whole, and its proposal opens at once
};

export async function run(bench, checks) {
  const page = await bench.window(name(PAUSES_MS[0]));
  await bar(page, /editd$/);
  for (const pause of PAUSES_MS) {
    await openFile(page, name(pause));
    await page.locator(".tab.active", { hasText: name(pause) }).waitFor();
    await page.evaluate(watchHunk);
    await ask(page, "Delete the function goes.");
    await page.waitForFunction(() => globalThis.__inSight, undefined, { polling: "raf" });
    if (pause) await page.waitForTimeout(pause);
    await page.keyboard.press("Alt+Enter");
    const done = await isAccepted(page, name(pause));
    checks.check(done, `Alt+Enter ${pause} ms after the hunk was in sight accepts it`);
    await page.keyboard.press(done ? "Control+S" : "Shift+Alt+Backspace");
    await bar(page, /editd$/);
  }

  // --- of a follow-up, whose hunk takes the place of one that is in sight ----------------------------
  await bench.scriptedDaemon({ answers: ANSWERS });
  for (const kind of Object.keys(LINES)) {
    const file = followed(kind);
    await refine(page, file);
    await page.waitForFunction(() => globalThis.__inSight, undefined, { polling: "raf" });
    await page.keyboard.press("Shift+Alt+Enter");
    checks.check(await isAccepted(page, file), `and a follow-up of ${kind}`);
    await page.keyboard.press("Control+S");
    await bar(page, /editd$/);
  }

  // --- one that comes too early is answered, since what it is about is in sight --------------------
  await bench.endDaemon();
  await bench.scriptedDaemon({ answers: ANSWERS, unit_seconds: 0.5 });
  await refine(page, "early.txt");
  await page.locator(".codelens-decoration", { hasText: "is refining this" }).first().waitFor();
  await page.keyboard.press("Shift+Alt+Enter");
  await page.locator(".notification-list-item-message", { hasText: "being refined" }).waitFor();
  await page.waitForFunction(() => globalThis.__inSight);
  await bar(page, /editd: 1 hunk\b/);
  const isEarly = (await page.locator(".tab.dirty", { hasText: "early.txt" }).count()) > 0;
  checks.check(!isEarly, "what is being refined is not accepted, and the key says so");
  await page.keyboard.press("Shift+Alt+Enter");
  checks.check(await isAccepted(page, "early.txt"), "but the hunk that takes its place is");
}

/** Asks for an edit, then for a follow-up. */
async function refine(page, file) {
  await openFile(page, file);
  await ask(page, LOUD);
  await bar(page, /editd: 1 hunk\b/);
  await palette(page, "editd: Refine");
  await page.locator(".quick-input-title", { hasText: "what should be different" }).waitFor();
  await page.keyboard.type(LOUDER);
  await page.evaluate(watchText, MORE);
  await page.keyboard.press("Enter");
}

async function isAccepted(page, file) {
  const tab = page.locator(".tab.dirty", { hasText: file });
  await tab.waitFor({ timeout: 10_000 }).catch(() => {});
  return (await tab.count()) > 0;
}

/** Notes in the page when an editor shows `text`. */
function watchText(text) {
  globalThis.__inSight = false;
  new MutationObserver((_, observer) => {
    const lines = [...document.querySelectorAll(".editor-instance .view-line")];
    const isIn = (line) => line.textContent.replaceAll("\u00a0", " ").includes(text);
    if (!lines.some(isIn)) return;
    globalThis.__inSight = true;
    observer.disconnect();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** Notes in the page when a hunk is painted, or its proposal begins to open; either is gone soon. */
function watchHunk() {
  globalThis.__inSight = false;
  const hunk = '.editor-instance .view-overlays [class*="ced-"], .tab[data-resource-name$="(editd)"]';
  new MutationObserver((_, observer) => {
    const tabs = [...document.querySelectorAll(".tab")].map((tab) => tab.textContent);
    if (!document.querySelector(hunk) && !tabs.some((text) => text.includes("(editd)"))) return;
    globalThis.__inSight = true;
    observer.disconnect();
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}
