// What a first user asks for, with real keys: the edits of clients/fixtures/tasks.json, and the states of file and model
// that they may meet. Words decide where they can, as they do for a user; a script answers where only a model could.
import fs from "node:fs";
import path from "node:path";
import { REPOSITORY, SHOTS, until } from "./editor.mjs";
import { ask, bar, offered, openFile, palette } from "./page.mjs";

const { files, tasks } = JSON.parse(fs.readFileSync(path.join(REPOSITORY, "clients/fixtures/tasks.json")));
/** A file of its own for each, since VS Code takes its time to see that a file has changed. */
const fileOf = ({ name, file }) => (file === "shop.py" ? `${name.replace(/\W/g, "-")}.py` : file);
const text = (lines) => lines.map((line) => `${line}\n`).join("");
const after = (task) => text(files[task.file].flatMap((line) => task.after[line] ?? [line]));
const LONG = Array.from({ length: 500 }, (_, index) => {
  const body = index % 100 ? "len" : "total";
  return `def part_${index}(items):\n    return ${body}(items)\n\n\n`;
}).join("");
const LOUD = "Write it in capitals.";
const LOUDER = "And add a line.";
const LINES = ["one", "two", "three"];

export const title = "the tasks of a first user";

export const world = {
  files: {
    ...Object.fromEntries(tasks.map((task) => [fileOf(task), text(files[task.file])])),
    "long.py": LONG,
    "lines.txt": text(LINES),
  },
  words: true,
};

export async function run(bench, checks) {
  const at = (file) => path.join(bench.folder, file);
  const disk = (file) => fs.readFileSync(at(file), "utf8");
  const scripted = Object.fromEntries(
    tasks.filter(({ engine }) => engine === "scripted").map((task) => [task.instruction, task.after]),
  );
  await bench.scriptedDaemon({
    answers: {
      ...scripted,
      [LOUD]: { two: ["TWO"] },
      [LOUDER]: { two: ["TWO", "and a half"] },
    },
  });
  const page = await bench.window("rename.py");
  await bar(page, /editd$/);

  for (const task of tasks) {
    const file = fileOf(task);
    await openFile(page, file);
    await ask(page, task.instruction);
    await accepted(page);
    await saved(page, disk, file, after(task));
    checks.check(disk(file) === after(task), task.name, disk(file));
  }

  await openFile(page, "long.py");
  await page.keyboard.press("Control+End");
  await ask(page, "Rename total to sum_of.");
  await bar(page, /editd: 5 hunks/);
  await accepted(page);
  await saved(page, disk, "long.py", LONG.replaceAll("total", "sum_of"));
  checks.check(disk("long.py") === LONG.replaceAll("total", "sum_of"), "2,000 lines");

  // --- a selection, and a follow-up ------------------------------------------------------------------
  await openFile(page, "lines.txt");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Control+Alt+R");
  await page.locator(".quick-input-widget", { hasText: "line 2 of lines.txt" }).waitFor();
  await page.keyboard.type(LOUD);
  await page.keyboard.press("Enter");
  await bar(page, /editd: 1 hunk\b/);
  checks.check(true, "a selection is named in the box, and rewritten");
  await palette(page, "editd: Refine");
  await page.locator(".quick-input-title", { hasText: "what should be different" }).waitFor();
  await page.keyboard.type(LOUDER);
  await page.keyboard.press("Enter");
  await page.locator(".view-line", { hasText: "and a half" }).first().waitFor();
  await accepted(page);
  const followed = text(["one", "TWO", "and a half", "three"]);
  await saved(page, disk, "lines.txt", followed);
  checks.check(
    disk("lines.txt") === followed,
    "a follow-up takes the place of what it builds on",
    disk("lines.txt"),
  );

  // --- not saved, and without a name -----------------------------------------------------------------
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("two\n");
  await ask(page, LOUD);
  await accepted(page);
  await page.locator(".view-line", { hasText: "TWO" }).nth(1).waitFor();
  checks.check(disk("lines.txt") === followed, "what is typed and not saved is edited, and not saved by it");
  await page.keyboard.press("Control+S");
  await until(() => disk("lines.txt") === `TWO\n${followed}`, "the typed line").catch(() => {});
  checks.check(disk("lines.txt") === `TWO\n${followed}`, "until the user saves it", disk("lines.txt"));
  await palette(page, "File: New Untitled Text File");
  await page.locator(".tab.active", { hasText: "Untitled-1" }).waitFor();
  await page.keyboard.type("two\nfour\n");
  await ask(page, LOUD);
  await accepted(page);
  await page.locator(".view-line", { hasText: "TWO" }).waitFor();
  checks.check(true, "a file without a name");
  await page.screenshot({ path: `${SHOTS}/tasks-untitled.png` });

  // --- what the embedded model refuses ---------------------------------------------------------------
  await openFile(page, "rename.py");
  await palette(page, "editd: Run Preset…");
  const refused = page.locator(".quick-input-list .monaco-list-row", { hasText: "Simplify" });
  await refused.getByText("Choose Model…").waitFor();
  await page.screenshot({ path: `${SHOTS}/tasks-presets.png` });
  await page.keyboard.type("Simplify");
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Browse for a .gguf…" }).waitFor();
  await page.keyboard.press("Escape");
  checks.check(true, "a preset that the model refuses leads to the choice of another");

  // --- a model that is not here ----------------------------------------------------------------------
  await bench.endDaemon();
  fs.writeFileSync(bench.at("config.toml"), '[model]\nname = "/nowhere/model"\n');
  await openFile(page, "rename.py");
  await ask(page, "Make it a web shop.");
  const toast = page.locator(".notifications-toasts .notification-list-item", { hasText: "/nowhere/model" });
  await toast.first().waitFor();
  await toast.first().getByText("Choose Model…", { exact: true }).waitFor();
  await page.screenshot({ path: `${SHOTS}/tasks-no-model.png` });
  checks.check(true, "a model that is not here: one sentence, and the button to choose another");
}

/** Accepts all hunks by key, pressed once; done when the last is decided. */
async function accepted(page) {
  await bar(page, /editd: \d+ hunks?\b/);
  await offered(page, "Accept All Hunks");
  await page.keyboard.press("Shift+Alt+Enter");
  await page.locator(".tab.active.dirty").waitFor();
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
}

async function saved(page, disk, file, expected) {
  await until(
    async () => {
      await page.keyboard.press("Control+S");
      await page.locator(".tab.active:not(.dirty)").waitFor({ timeout: 2000 });
      return disk(file) === expected;
    },
    `${file} on the disk`,
    20,
  ).catch(() => {});
}
