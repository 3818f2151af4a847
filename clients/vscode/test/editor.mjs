// Starts a real VS Code workbench (code-server) and a headless Chromium that looks at it.
//
// Everything of one `Workbench` lies in one temporary folder and ends with it: settings, extensions,
// the daemon's socket and log. Nothing is shared with the user's own VS Code or editd.

import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { openFile } from "./page.mjs";

export const EXTENSION = path.resolve(import.meta.dirname, "..");
export const REPOSITORY = path.resolve(EXTENSION, "..", "..");
const TESTENV = process.env.EDITD_TESTENV ?? path.join(REPOSITORY, ".testenv");
// code-server wants a newer Node than this script does, and is installed beside it. An older one can be named.
const NODE = process.env.CODE_SERVER_NODE ?? path.join(TESTENV, "vscode/bin/node");
const CODE_SERVER =
  process.env.CODE_SERVER ?? path.join(TESTENV, "vscode/node_modules/code-server/out/node/entry.js");
export const EDITD = process.env.EDITD ?? path.join(REPOSITORY, ".venv/bin/editd");
export const PYTHON = path.join(path.dirname(EDITD), "python");
export const SHOTS = process.env.SHOTS ?? path.join(TESTENV, "shots");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE_MS = 90_000; // for one step, on a machine that does much else

const SETTINGS = {
  "editd.server.path": EDITD,
  "workbench.startupEditor": "none",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "files.hotExit": "off",
  "files.autoSave": "off",
  "editor.minimap.enabled": false,
  "editor.cursorBlinking": "solid", // each blink is painted, by the processor
  "workbench.reduceMotion": "on",
  "editor.fontFamily": "DejaVu Sans Mono",
};

export class Workbench {
  /** `files`: name → text, of the folder that is opened. */
  constructor({ files = {}, settings = {}, config = "", keybindings = [], env = {} } = {}) {
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), "editd-vscode-"));
    this.children = [];
    this.lay("shop", { files, settings, config });
    fs.writeFileSync(this.at("data/User/keybindings.json"), JSON.stringify(keybindings));
    fs.mkdirSync(this.at("run"), { mode: 0o700 });
    this.env = {
      ...process.env,
      XDG_CONFIG_HOME: this.at("config"),
      XDG_DATA_HOME: this.at("share"),
      EDITD_RUNTIME_DIR: this.at("run"),
      EDITD_STATE_DIR: this.at("state"),
      EDITD_CONFIG: this.at("config.toml"),
      ...env,
    };
    process.once("SIGTERM", () => this.stop().finally(() => process.exit(124)));
  }

  /**
   * Opens a folder called `name` next, with these settings alone. config: editd's own file; words: they may decide edits
   * without a model, which is not what other tests are about.
   */
  lay(name, { files = {}, settings = {}, config = "", words = false } = {}) {
    this.folder = this.makeFolder(name, files);
    this.settings = { ...SETTINGS };
    this.set(settings);
    fs.writeFileSync(this.at("config.toml"), `${config}\n[edit]\nwords = ${words}\n`);
  }

  /** As `lay`, without the windows and the daemon that there were. */
  async renew(name, world) {
    for (const page of this.context.pages()) await page.close();
    await this.endDaemon();
    this.lay(name, world);
  }

  /** The user's own settings, those of this machine included. */
  set(settings) {
    Object.assign(this.settings, settings);
    for (const part of ["User", "Machine"]) {
      fs.mkdirSync(this.at("data", part), { recursive: true });
      fs.writeFileSync(this.at("data", part, "settings.json"), JSON.stringify(this.settings, null, 2));
    }
  }

  at(...parts) {
    return path.join(this.root, ...parts);
  }

  makeFolder(name, files) {
    fs.mkdirSync(this.at(name));
    for (const [file, text] of Object.entries(files)) fs.writeFileSync(this.at(name, file), text);
    return this.at(name);
  }

  /** editd's command line, in the same world as the editor. */
  editd(...args) {
    return execFileSync(EDITD, args, { env: this.env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** A daemon whose engine does what a script says (tests/fakes.py). */
  async scriptedDaemon(script) {
    const settings = { build: "", daemon: {}, limits: {}, script };
    const log = fs.openSync(this.at("scripted.log"), "a");
    const child = spawn(PYTHON, [path.join(REPOSITORY, "tests/fakes.py"), JSON.stringify(settings)], {
      env: { ...this.env, PYTHONPATH: REPOSITORY },
      stdio: ["ignore", log, log],
    });
    this.children.push(child);
    await until(
      () => fs.readdirSync(this.at("run")).some((name) => name.endsWith(".sock")),
      "the scripted daemon",
    );
    return child;
  }

  /** As if it had crashed. */
  async killDaemon(child) {
    const ended = child.exitCode ?? child.signalCode ?? new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    for (const name of fs.readdirSync(this.at("run")))
      if (name.endsWith(".sock")) fs.rmSync(this.at("run", name));
  }

  async endDaemon() {
    for (const child of this.children.splice(0)) await this.killDaemon(child);
    try {
      this.editd("stop", "--force");
    } catch {
      // there is none
    }
  }

  install(vsix) {
    execFileSync(NODE, [...this.base(), "--install-extension", vsix], { env: this.env });
  }

  async start({ options = [] } = {}) {
    this.port = await freePort();
    const log = fs.openSync(this.at("code-server.log"), "w");
    this.server = spawn(
      NODE,
      [
        ...this.base(),
        ...["--bind-addr", `127.0.0.1:${this.port}`, "--auth", "none", "--disable-telemetry"],
        ...["--disable-update-check", "--disable-getting-started-override", "--disable-proxy"],
        ...options,
      ],
      { env: this.env, stdio: ["ignore", log, log], detached: true },
    );
    await until(
      () => fetch(`http://127.0.0.1:${this.port}/healthz`).then((answer) => answer.ok),
      "code-server",
    );
    this.browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ],
    });
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    this.context.setDefaultTimeout(PATIENCE_MS);
  }

  url(folder = this.folder, payload = "") {
    const query = payload && `&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    return `http://127.0.0.1:${this.port}/?folder=${encodeURIComponent(folder)}${query}`;
  }

  /** A window with one file open and the cursor in it. */
  async window(file, folder = this.folder) {
    const page = await this.context.newPage();
    await page.goto(this.url(folder), { waitUntil: "domcontentloaded" });
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).waitFor();
    await openFile(page, file);
    return page;
  }

  async stop() {
    await this.browser?.close();
    try {
      if (this.server) process.kill(-this.server.pid, "SIGTERM");
    } catch {
      // it has ended by itself
    }
    await this.endDaemon();
    if (!process.env.KEEP)
      fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  base() {
    return [CODE_SERVER, "--user-data-dir", this.at("data"), "--extensions-dir", this.at("extensions")];
  }
}

/** Waits for something outside the page, which has no event to wait for. */
export async function until(holds, what, seconds = 60) {
  const deadline = Date.now() + 1000 * seconds;
  for (;;) {
    try {
      if (await holds()) return;
    } catch {
      // not yet
    }
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Counts checks; `end` prints the line that is read by machines. */
export class Checks {
  passed = 0;
  failed = 0;

  check(holds, what, detail = "") {
    console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds || !detail ? "" : `: ${detail}`}`);
    holds ? this.passed++ : this.failed++;
  }

  end() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed ? 1 : 0;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
