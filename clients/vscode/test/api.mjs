// node test/api.mjs : tests inside the extension host of a real VS Code, with a scripted engine.
import { build } from "esbuild";
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, PYTHON, REPOSITORY, Workbench } from "./editor.mjs";

await build({
  entryPoints: [path.join(EXTENSION, "test/api/index.ts")],
  outfile: path.join(EXTENSION, "dist-test/api/index.js"),
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});

const bench = new Workbench({
  files: { "a.txt": "alpha\n" },
  settings: { "editd.preview": "inline" },
  config: '[model]\nname = "/scripted"\n', // as far as a preset is concerned, one that takes any
});
const result = bench.at("result.txt");
Object.assign(bench.env, {
  EDITD_TEST_RESULT: result,
  EDITD_TEST_PYTHON: PYTHON,
  EDITD_TEST_FAKES: path.join(REPOSITORY, "tests/fakes.py"),
  // run.sh names the part, which means all of its tests
  EDITD_TEST_ONLY: process.env.ONLY === "inside VS Code" ? "" : (process.env.ONLY ?? ""),
});
let code = 99;
try {
  // Built VS Code heeds the tests of the address only with its smoke test driver.
  await bench.start({ options: ["--vscode-option", "enable-smoke-test-driver"] });
  const page = await bench.context.newPage();
  const done = new Promise((resolve) => page.exposeFunction("codeAutomationExit", resolve));
  await page.exposeFunction("codeAutomationLog", () => {});
  const remote = (file) => `vscode-remote://127.0.0.1:${bench.port}${file}`;
  await page.goto(
    bench.url(bench.folder, [
      ["extensionDevelopmentPath", remote(EXTENSION)],
      ["extensionTestsPath", remote(path.join(EXTENSION, "dist-test/api/index.js"))],
      ["skipWelcome", "true"],
    ]),
  );
  code = await Promise.race([
    done,
    new Promise((resolve) => setTimeout(resolve, Number(process.env.SECONDS ?? 390) * 1000, 98)),
  ]);
  if (process.env.SHOTS) await page.screenshot({ path: path.join(process.env.SHOTS, "api.png") });
  console.log(
    fs.existsSync(result)
      ? fs.readFileSync(result, "utf8").trim()
      : `no result (${code})\n0 passed, 1 failed`,
  );
} finally {
  await bench.stop();
}
process.exit(code);
