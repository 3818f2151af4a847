// A key that is pressed as soon as hunks are in sight, while their proposal opens.
import fs from "node:fs";
import path from "node:path";
import { until } from "./editor.mjs";
import { ask, bar, ghosts, openFile } from "./page.mjs";

const PAUSES_MS = [0, 30, 60, 100, 150, 250];
const name = (pause) => `after${pause}.py`;
const FILE = "def stays():\n    return 1\n\n\ndef goes():\n    return 2\n\n\ndef last():\n    return 3\n";

export const title = "an early key";

export const world = {
  files: Object.fromEntries(PAUSES_MS.map((pause) => [name(pause), FILE])),
  words: true, // such an edit comes whole, and its proposal opens at once
};

export async function run(bench, checks) {
  const page = await bench.window(name(PAUSES_MS[0]));
  await bar(page, /editd$/);
  for (const pause of PAUSES_MS) {
    await openFile(page, name(pause));
    await page.locator(".tab.active", { hasText: name(pause) }).waitFor();
    await ask(page, "Delete the function goes.");
    await ghosts(page, 1);
    if (pause) await page.waitForTimeout(pause);
    await page.keyboard.press("Alt+Enter");
    await page
      .locator(".tab.dirty", { hasText: name(pause) })
      .waitFor({ timeout: 10_000 })
      .catch(() => {});
    const isDirty = await page.locator(".tab.dirty", { hasText: name(pause) }).count();
    checks.check(isDirty > 0, `Alt+Enter ${pause} ms after the hunk was in sight accepts it`);
    if (isDirty) await page.keyboard.press("Control+S");
    else await page.keyboard.press("Shift+Alt+Backspace");
    await bar(page, /editd$/);
  }
}
