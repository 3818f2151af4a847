// A person's session, against the real daemon and a solved model.
import fs from "node:fs";
import path from "node:path";
import { REPOSITORY, SHOTS, until } from "./editor.mjs";
import { ask, bar, ghosts, isDirty, offered, openBox, openFile, record, seen, text } from "./page.mjs";

const DEMO = path.join(REPOSITORY, "examples/demo");
const demo = (file) => fs.readFileSync(path.join(DEMO, file), "utf8");
const HINTS = "Add type hints to every function.";

export const title = "a session";

export const world = {
  files: {
    "inventory.py": demo("inventory.py"),
    "geometry.py": demo("geometry.py"),
    "dense.txt": "x".repeat(70_000),
  },
  settings: {
    "editd.preview": "inline",
    "editor.codeLens": true,
    "workbench.colorTheme": process.env.THEME ?? "Default Dark Modern",
  },
  // The model writes in small steps, so that there is something to watch.
  config: `[model]\nname = ${JSON.stringify(process.env.EDITD_MODEL)}\n[decode]\nwindow = 3\n`,
};

export async function run(bench, checks) {
  const file = path.join(bench.folder, "inventory.py");
  const onDisk = () => fs.readFileSync(file, "utf8");
  const daemonLog = () => fs.readFileSync(bench.at("state/daemon.log"), "utf8");
  bench.editd("edit", path.join(bench.folder, "geometry.py"), "-i", HINTS, "--diff"); // starts the daemon
  const page = await bench.window("inventory.py");
  await bar(page, /editd$/);
  checks.check(true, "the extension is in the status bar");

  // --- ask -----------------------------------------------------------------------------------------
  await record(page);
  await openBox(page);
  await page.keyboard.type(HINTS);
  await until(() => daemonLog().includes("warm-up"), "the warm-up").catch(() => {});
  await page.screenshot({ path: `${SHOTS}/1-ask.png` });

  // --- watch it stream -----------------------------------------------------------------------------
  await page.keyboard.press("Enter");
  await ghosts(page, 6);
  await page.screenshot({ path: `${SHOTS}/2-streaming.png` });
  await bar(page, /editd: \d+ hunks ·/);
  const total = await hunksInBar(page);
  const left = (count) => bar(page, new RegExp(`editd: ${count} hunks`));
  const shown = await seen(page);
  checks.check(
    shown.status.some((status) => status.includes("rewriting")),
    "the status bar said that it is rewriting",
    shown.status.join(" | "),
  );
  checks.check(shown.ghosts.length >= 4, "hunks came one after the other", shown.ghosts.join());
  checks.check(onDisk() === demo("inventory.py") && !(await isDirty(page)), "the file is untouched");
  await page.screenshot({ path: `${SHOTS}/3-review.png` });

  // --- decide --------------------------------------------------------------------------------------
  await offered(page, "Accept All Hunks");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Alt+Enter"); // goes there
  await page.keyboard.press("Alt+Enter"); // accepts
  await left(total - 1);
  checks.check((await text(page)).includes("from __future__ import annotations"), "one hunk accepted by key");
  await page.keyboard.press("Alt+F5");
  await page.keyboard.press("Alt+Backspace");
  await left(total - 2);
  checks.check(true, "one hunk rejected by key");
  await page.locator(".codelens-decoration a", { hasText: `Accept ${total - 2}` }).waitFor();
  await page.locator(".codelens-decoration a", { hasText: "Accept" }).first().click();
  await left(total - 3);
  checks.check(true, "one hunk accepted by its lens");
  await page.locator(".editor-instance .view-lines").click({ position: { x: 300, y: 40 } });
  await page.keyboard.press("Shift+Alt+Enter");
  await until(async () => (await hunksInBar(page)) === 0, "no hunk left");
  await page.screenshot({ path: `${SHOTS}/4-done.png` });
  const expected = demo("after/inventory-hints.py");
  // The bar counts hunks as soon as they are on their way; the text may come a moment later.
  await until(async () => {
    await page.keyboard.press("Control+S");
    return withoutRejected(onDisk(), expected);
  }, "all that was accepted to be saved");
  checks.check(
    withoutRejected(onDisk(), expected),
    "what was accepted is on the disk, what was rejected is not",
    onDisk(),
  );
  await page.keyboard.press("Control+Z");
  await page.keyboard.press("Control+S");
  await until(() => onDisk().includes("def low_items(self):"), "the undo");
  checks.check(
    !onDisk().includes("-> dict[str, int]") && onDisk().includes("from __future__"),
    "accept-all is one undo step",
  );

  // --- a second window shares the daemon -----------------------------------------------------------
  const other = bench.makeFolder("other", { "geometry.py": demo("geometry.py") });
  const second = await bench.window("geometry.py", other);
  await bar(second, /editd$/);
  await ask(second, HINTS);
  await bar(second, /editd: \d+ hunks ·/);
  const status = bench.editd("status");
  checks.check(/clients\s+[23],/.test(status), "both windows are clients of one daemon", status);
  checks.check(
    fs.readdirSync(bench.at("run")).filter((name) => name.endsWith(".sock")).length === 1,
    "there is one socket",
  );
  await second.close();

  // --- a refusal is one sentence -------------------------------------------------------------------
  await page.bringToFront();
  await openFile(page, "dense.txt");
  await ask(page, "Turn it into a web shop.");
  const toast = page.locator(".notifications-toasts .notification-list-item-message").first();
  await toast.waitFor();
  checks.check(
    /do not fit the model/i.test(await toast.innerText()),
    "a text that no model can read is refused",
    await toast.innerText(),
  );
}

async function hunksInBar(window) {
  const item = await window.locator(".statusbar-item", { hasText: "editd" }).first().innerText();
  return Number(/(\d+) hunk/.exec(item)?.[1] ?? 0);
}

/** `now` is `expected` but for one hunk. */
function withoutRejected(now, expected) {
  const lines = new Set(expected.split("\n"));
  const missing = now.split("\n").filter((line) => !lines.has(line));
  return missing.length <= 1 && now.includes("-> dict[str, int]");
}
