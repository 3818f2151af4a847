// Runs inside the real extension host; `run` is what VS Code calls for extensionTestsPath.

import * as fs from "node:fs";
import * as vscode from "vscode";
import { activate, killDaemon, script } from "./world";
import * as proposals from "./proposals";
import * as others from "./tests";

const SECONDS = 90; // for one test

export async function run(): Promise<void> {
  const report = [`VS Code ${vscode.version}, Node ${process.version}`];
  await activate();
  await script({});
  let failed = 0;
  let ran = 0;
  for (const [name, test] of [...others.tests, ...proposals.tests]) {
    if (!name.includes(process.env["EDITD_TEST_ONLY"] ?? "")) continue;
    ran++;
    const began = Date.now();
    try {
      await Promise.race([
        test(),
        new Promise((_, reject) => setTimeout(reject, 1000 * SECONDS, new Error("took too long"))),
      ]);
      report.push(`ok   ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      failed++;
      report.push(`FAIL ${name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    fs.writeFileSync(process.env["EDITD_TEST_RESULT"]!, `${report.join("\n")}\n`);
  }
  await killDaemon();
  report.push(`${ran - failed} passed, ${failed} failed`);
  fs.writeFileSync(process.env["EDITD_TEST_RESULT"]!, `${report.join("\n")}\n`);
  if (failed) throw new Error(`${failed} failed`);
}
