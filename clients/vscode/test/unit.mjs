// node test/unit.mjs : bundles the unit tests and runs them; ends with "N passed, N failed".
import { run } from "node:test";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const files = fs.readdirSync(path.join(here, "unit")).filter((name) => name.endsWith(".test.ts"));
const outdir = path.join(here, "..", "dist-test", "unit");
fs.rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: files.map((name) => path.join(here, "unit", name)),
  outdir,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  outExtension: { ".js": ".cjs" },
  external: ["typescript"],
  define: { HERE: JSON.stringify(path.join(here, "..")) },
});

let passed = 0;
let failed = 0;
const stream = run({
  files: files.map((name) => path.join(outdir, name.replace(/\.ts$/, ".cjs"))),
  concurrency: 1,
});
stream.on("test:pass", ({ name, details }) => {
  if (details.type === "suite" || name.endsWith(".cjs")) return;
  passed++;
});
stream.on("test:fail", ({ name, details }) => {
  if (details.type === "suite" || (name.endsWith(".cjs") && details.error?.failureType === "subtestsFailed"))
    return;
  failed++;
  console.log(`FAIL ${name}\n${details.error?.cause?.stack ?? details.error?.stack ?? details.error}`);
});
stream.on("data", () => {});
await new Promise((resolve) => stream.on("end", resolve));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
