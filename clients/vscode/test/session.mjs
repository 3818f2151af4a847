// node test/session.mjs : what a person does and sees in a real VS Code, part by part. ONLY=text runs the parts
// whose title holds it, or is in it.
//
// One VS Code and one browser for all, because starting them takes longer than most parts. Each part has its own
// folder, settings, windows and daemon; the environment is the same for all.
import fs from "node:fs";
import path from "node:path";
import * as chooseModel from "./choose-model.mjs";
import * as earlyKey from "./early-key.mjs";
import * as session from "./e2e.mjs";
import * as mentions from "./mentions.mjs";
import { Checks, EXTENSION, SHOTS, Workbench } from "./editor.mjs";
import * as proposal from "./proposal.mjs";
import * as noServer from "./no-server.mjs";
import * as stream from "./stream.mjs";
import * as tasks from "./tasks.mjs";
import * as trust from "./trust.mjs";

// The last one installs an editd, which the extension would find from then on.
const PARTS = [session, stream, proposal, earlyKey, mentions, tasks, chooseModel, trust, noServer];

const ONLY = process.env.ONLY ?? "";

fs.mkdirSync(SHOTS, { recursive: true });
const checks = new Checks();
const bench = new Workbench();
bench.env.HOME = bench.at("home"); // Ollama's models lie there
fs.mkdirSync(bench.env.HOME);
bench.env.VSCODE_CLI = "1"; // else VS Code asks a login shell for PATH
bench.env.PATH = [bench.at("bin"), "/usr/local/bin", "/usr/bin", "/bin"].join(path.delimiter);
const models = ["EDITD_MODEL", "OLLAMA_MODELS", "HF_HOME", "LLAMA_CACHE", "XDG_CACHE_HOME"];
// What pip was told on this machine would answer the question about PyTorch.
const packages = ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"];
for (const name of [...models, ...packages]) delete bench.env[name];

try {
  bench.install(path.join(EXTENSION, "editd.vsix"));
  await bench.start();
  for (const part of PARTS.filter(({ title }) => title.includes(ONLY) || ONLY.includes(title))) {
    const began = Date.now();
    console.log(`-- ${part.title}`);
    try {
      await bench.renew(part.title.replaceAll(" ", "-"), part.world);
      await part.run(bench, checks);
    } catch (error) {
      checks.check(false, "it went to its end", error.stack);
      const page = bench.context.pages().at(-1);
      const last = await page?.evaluate(() => globalThis.__seen).catch(() => ({}));
      for (const [what, values] of Object.entries(last ?? {})) console.log(what, values.slice(-5));
      await page?.screenshot({ path: `${SHOTS}/error-${path.basename(bench.folder)}.png` });
    }
    console.log(`-- ${part.title}: ${Math.round((Date.now() - began) / 1000)} s`);
  }
} finally {
  await bench.stop();
}
checks.end();
process.exit();
