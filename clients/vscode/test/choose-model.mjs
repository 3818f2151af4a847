// *Choose Model…* where Ollama has a model: a GGUF file, run by llama.cpp.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { PYTHON, REPOSITORY, SHOTS, until } from "./editor.mjs";
import { acceptAll, ask, bar, palette } from "./page.mjs";

const MODEL = "ollama:greeter:latest"; // tests/ollama_model.py, and the edit it knows: tests/unit/solved/tiny_edits.py
const BEFORE = 'def greet(name):\n    print("👋 hello", name)\n\n\ndef leave():\n    greet("bye")\n';

export const title = "choosing a model";

export const world = { files: { "greet.py": BEFORE } };

export async function run(bench, checks) {
  const chosen = () =>
    ["User", "Machine"].map(
      (part) => JSON.parse(fs.readFileSync(bench.at("data", part, "settings.json"), "utf8"))["editd.model"],
    );

  execFileSync(PYTHON, ["-m", "tests.ollama_model", bench.env.HOME], { cwd: REPOSITORY });
  const page = await bench.window("greet.py");
  await bar(page, /editd$/);

  await palette(page, "editd: Choose Model…");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: MODEL });
  await row.waitFor();
  await page.screenshot({ path: `${SHOTS}/11-choose-model.png` });
  const told = await row.innerText();
  checks.check(told.includes("1 MB · F32"), "the model of Ollama's store is offered, with its size", told);
  await page.keyboard.type("greeter");
  await page.keyboard.press("Enter");
  await until(() => chosen().includes(MODEL), "the setting");
  checks.check(true, "it is set");

  await page.locator(".editor-instance .view-lines").click();
  await ask(page, "Rename greet to welcome.");
  await bar(page, /editd: 2 hunks ·/);
  await acceptAll(page);
  await page.keyboard.press("Control+S");
  const file = path.join(bench.folder, "greet.py");
  const after = BEFORE.replaceAll("greet", "welcome");
  await until(() => fs.readFileSync(file, "utf8") === after, "the edit on the disk");
  checks.check(true, "and the next edit is its");
  await page.screenshot({ path: `${SHOTS}/12-chosen-model.png` });
  const status = bench.editd("status");
  checks.check(status.includes(MODEL) && status.includes("llama.cpp"), "which llama.cpp ran", status);
}
