// A key that is pressed as soon as a hunk is in sight, while its proposal opens.
import { ask, bar, openFile } from "./page.mjs";

const PAUSES_MS = [0, 20, 50, 80, 120, 200];
const name = (pause) => `after${pause}.py`;
const FILE = "def stays():\n    return 1\n\n\ndef goes():\n    return 2\n\n\ndef last():\n    return 3\n";

export const title = "an early key";

export const world = {
  files: Object.fromEntries(PAUSES_MS.map((pause) => [name(pause), FILE])),
  settings: { "editd.warmUp": "never" },
  words: true, // such an edit comes whole, and its proposal opens at once
};

export async function run(bench, checks) {
  const page = await bench.window(name(PAUSES_MS[0]));
  await bar(page, /editd$/);
  for (const pause of PAUSES_MS) {
    const tab = page.locator(".tab.dirty", { hasText: name(pause) });
    await openFile(page, name(pause));
    await page.locator(".tab.active", { hasText: name(pause) }).waitFor();
    await page.evaluate(watchHunk);
    await ask(page, "Delete the function goes.");
    await page.waitForFunction(() => globalThis.__inSight, undefined, { polling: "raf" });
    if (pause) await page.waitForTimeout(pause);
    await page.keyboard.press("Alt+Enter");
    await tab.waitFor({ timeout: 10_000 }).catch(() => {});
    const isAccepted = (await tab.count()) > 0;
    checks.check(isAccepted, `Alt+Enter ${pause} ms after the hunk was in sight accepts it`);
    await page.keyboard.press(isAccepted ? "Control+S" : "Shift+Alt+Backspace");
    await bar(page, /editd$/);
  }
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
