// What a person does while the model writes, with real keys.
//
// The engine is scripted (tests/fakes.py): it writes each line in capitals, one every 0.2 seconds.
import fs from "node:fs";
import path from "node:path";
import { SHOTS, until } from "./editor.mjs";
import {
  acceptAll,
  ask,
  bar,
  ghosts,
  gone,
  isDirty,
  offered,
  openFile,
  palette,
  record,
  seen,
} from "./page.mjs";

const TITLE = "A TITLE, WHICH STAYS\n";
const line = (number) => `line ${number}\n`;
const lines = (from, to) => Array.from({ length: to - from }, (_, index) => line(from + index)).join("");
const SLOW = { unit_seconds: 0.2 };

export const title = "while it streams";

export const world = {
  files: { "typed.txt": TITLE + lines(0, 25), "long.txt": lines(0, 400) },
  settings: { "editd.preview": "inline", "editor.quickSuggestions": { other: "off" } },
};

export async function run(bench, checks) {
  const disk = (file) => fs.readFileSync(path.join(bench.folder, file), "utf8");
  const idle = () =>
    until(() => JSON.parse(bench.editd("status", "--json")).state === "idle", "the daemon to be idle");
  let daemon = await bench.scriptedDaemon(SLOW);
  const page = await bench.window("typed.txt");
  await bar(page, /editd$/);
  await record(page);

  // --- typing before, inside and after ------------------------------------------------------------
  await ask(page, "Write it in capitals.");
  await ghosts(page, 3);
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("before\n");
  await page.keyboard.press("ArrowDown"); // past the title
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(" inside");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("after");
  checks.check((await seen(page)).status.at(-1).includes("rewriting"), "it went on while the user typed");
  await page.keyboard.press("Control+Home");
  await page.locator(".codelens-decoration", { hasText: "The text under this hunk has changed" }).waitFor();
  await page.screenshot({ path: `${SHOTS}/5-typed.png` });
  await bar(page, /editd: 25 hunks/);
  await offered(page, "Accept All Hunks");
  await page.keyboard.press("Shift+Alt+Enter");
  await bar(page, /editd: 1 hunk\b/);
  await page.keyboard.press("Control+S");
  const stays = line(1).trimEnd();
  const expected = `before\n${TITLE}${lines(0, 25).toUpperCase().replace("LINE 1\n", `${stays} inside\n`)}after`;
  await until(() => disk("typed.txt") === expected, "the file as it should be").catch(() => {});
  checks.check(
    disk("typed.txt") === expected,
    "hunks moved along, and the one that the user changed was left out",
    disk("typed.txt"),
  );
  await page.keyboard.press("Control+Z");
  await page.keyboard.press("Control+S");
  const before = `before\n${TITLE}${lines(0, 25).replace("line 1\n", `${stays} inside\n`)}after`;
  await until(() => disk("typed.txt") === before, "the undo").catch(() => {});
  checks.check(disk("typed.txt") === before, "one undo takes all of it back, and nothing that was typed");

  // --- Escape ---------------------------------------------------------------------------------------
  await palette(page, "Notifications: Clear All Notifications"); // else Escape would do that first
  await openFile(page, "long.txt");
  await record(page);
  await ask(page, "Write it in capitals.");
  await ghosts(page, 3);
  await offered(page, "Cancel");
  await page.keyboard.press("Escape");
  await gone(page);
  const cancelled = await seen(page);
  checks.check(
    cancelled.ghosts.length >= 3 && cancelled.status.some((status) => /cancel/i.test(status)),
    "Escape stops it: hunks had come, they go, and the status bar says so",
    `${cancelled.ghosts} ${cancelled.status.slice(-3)}`,
  );
  await idle();
  checks.check(disk("long.txt") === lines(0, 400) && !(await isDirty(page)), "the file is untouched");

  // --- the file is closed ---------------------------------------------------------------------------
  await ask(page, "Write it in capitals.");
  await ghosts(page, 3);
  await palette(page, "View: Close Editor");
  await page.locator(".tab", { hasText: "long.txt" }).waitFor({ state: "detached" });
  await idle();
  checks.check(true, "closing the file stops the daemon's work");
  await openFile(page, "long.txt");
  checks.check(disk("long.txt") === lines(0, 400) && !(await isDirty(page)), "and leaves the file as it was");

  // --- the daemon dies ------------------------------------------------------------------------------
  await record(page);
  await ask(page, "Write it in capitals.");
  await ghosts(page, 3);
  await bench.killDaemon(daemon);
  await gone(page);
  await until(async () => (await seen(page)).toasts.length > 0, "a sentence about it").catch(() => {});
  const { toasts } = await seen(page);
  checks.check(
    toasts.length === 1 && /^editd: .{10,}\./.test(toasts[0]),
    "one sentence says so",
    toasts.join(" | "),
  );
  checks.check(!(await isDirty(page)), "the file is untouched");
  await palette(page, "Notifications: Clear All Notifications");
  daemon = await bench.scriptedDaemon({ lines_per_unit: 100, rewrite: "upper" });
  await page.locator(".editor-instance .view-lines").click({ position: { x: 300, y: 40 } });
  await ask(page, "Write it in capitals.");
  await bar(page, /editd: 4 hunks/);
  await acceptAll(page);
  await page.keyboard.press("Control+S");
  await until(() => disk("long.txt") === lines(0, 400).toUpperCase(), "the edit after it").catch(() => {});
  checks.check(disk("long.txt") === lines(0, 400).toUpperCase(), "the next edit works");
}
