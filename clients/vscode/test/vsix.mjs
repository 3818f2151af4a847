// node test/vsix.mjs : what the package holds, and that it holds nothing else.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Checks, EXTENSION, PYTHON, REPOSITORY } from "./editor.mjs";

const PACKAGE = JSON.parse(fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8"));
const FILES = [
  "[Content_Types].xml",
  "extension.vsixmanifest",
  "extension/LICENSE.txt",
  "extension/changelog.md",
  "extension/dist/extension.js",
  "extension/images/icon.png",
  "extension/package.json",
  "extension/readme.md",
  ...PACKAGE.contributes.grammars.map((grammar) => path.join("extension", grammar.path)),
  ...["decide", "model", "rewrite", "server"].map((name) => `extension/walkthrough/${name}.md`),
];
const LIMIT = 200_000; // bytes

const checks = new Checks();
const vsix = path.join(EXTENSION, "editd.vsix");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "editd-vsix-"));
try {
  execFileSync(PYTHON, ["-m", "zipfile", "-e", vsix, folder]);
  const inside = (file) => path.join(folder, "extension", file);
  const found = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  checks.check(found.join() === FILES.sort().join(), "it holds these files and no others", found.join(" "));
  const { size } = fs.statSync(vsix);
  checks.check(size < LIMIT, `it is small: ${Math.round(size / 1000)} kB`);
  const read = (file) => fs.readFileSync(inside(file), "utf8");
  const bundle = read("dist/extension.js");
  checks.check(!/sourceMappingURL|require\("vscode-/.test(bundle), "the code is one bundle, without sources");
  const ours = [REPOSITORY, os.homedir() + path.sep].filter((place) => place.length > 2);
  checks.check(!ours.some((place) => bundle.includes(place)), "the code names no folder of this machine");
  checks.check(
    read("LICENSE.txt") === fs.readFileSync(path.join(REPOSITORY, "LICENSE"), "utf8"),
    "the licence",
  );
  checks.check(
    read("readme.md").length > 1000 && read("changelog.md").includes("## "),
    "readme and changelog",
  );
  const icon = fs.readFileSync(inside("images/icon.png"));
  const [width, height] = [icon.readUInt32BE(16), icon.readUInt32BE(20)];
  checks.check(width >= 128 && height === width, "the icon is large enough", `${width}x${height}`);
} catch (error) {
  checks.check(false, "the package can be read", error.stack);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
checks.end();
