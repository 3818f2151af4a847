// node languages.mjs : gives proposals their languages. Rewrites `languages`, `grammars` and
// `configurationDefaults` in package.json, and the folder syntaxes/, which git ignores (`npm run build`).
//
// A proposal (src/proposal.ts) is shown in VS Code's diff editor under a language id of its own, so that
// its settings govern that editor alone. Such a language needs an entry here: its colours are those of the
// grammar named by the scope, which may be another extension's; without that extension it has none.
import fs from "node:fs";
import path from "node:path";

const SCOPES = {
  plaintext: "",
  bat: "source.batchfile",
  c: "source.c",
  clojure: "source.clojure",
  coffeescript: "source.coffee",
  cpp: "source.cpp",
  csharp: "source.cs",
  css: "source.css",
  "cuda-cpp": "source.cuda-cpp",
  dart: "source.dart",
  dockercompose: "source.yaml",
  dockerfile: "source.dockerfile",
  dotenv: "source.dotenv",
  elixir: "source.elixir",
  fsharp: "source.fsharp",
  go: "source.go",
  groovy: "source.groovy",
  handlebars: "text.html.handlebars",
  haskell: "source.haskell",
  html: "text.html.derivative",
  ini: "source.ini",
  java: "source.java",
  javascript: "source.js",
  javascriptreact: "source.js.jsx",
  json: "source.json",
  jsonc: "source.json.comments",
  jsonl: "source.json.lines",
  julia: "source.julia",
  kotlin: "source.kotlin",
  latex: "text.tex.latex",
  less: "source.css.less",
  lua: "source.lua",
  makefile: "source.makefile",
  markdown: "text.html.markdown",
  "objective-c": "source.objc",
  "objective-cpp": "source.objcpp",
  perl: "source.perl",
  php: "text.html.php",
  powershell: "source.powershell",
  properties: "source.ini",
  python: "source.python",
  r: "source.r",
  razor: "text.html.cshtml",
  restructuredtext: "source.rst",
  ruby: "source.ruby",
  rust: "source.rust",
  scala: "source.scala",
  scss: "source.css.scss",
  shellscript: "source.shell",
  sql: "source.sql",
  svelte: "source.svelte",
  swift: "source.swift",
  terraform: "source.hcl.terraform",
  toml: "source.toml",
  typescript: "source.ts",
  typescriptreact: "source.tsx",
  vb: "source.asp.vb.net",
  vue: "text.html.vue",
  xml: "text.xml",
  yaml: "source.yaml",
  zig: "source.zig",
};

// At any width: inline, with lenses, one column of numbers, white space compared.
const SETTINGS = {
  "diffEditor.renderSideBySide": false,
  "diffEditor.codeLens": true,
  "diffEditor.ignoreTrimWhitespace": false,
  "diffEditor.hideUnchangedRegions.enabled": false,
  "diffEditor.hideOriginalLineNumbers": true,
  "diffEditor.experimental.useTrueInlineView": true, // changed words inside their line; else the line twice
  "editor.stickyScroll.enabled": false,
};

const here = import.meta.dirname;
const ids = Object.keys(SCOPES);

const languages = ids.map((id) => ({
  id: `editd-${id}`,
  aliases: [], // not in the list of languages
  filenamePatterns: [`/editd-proposal/${id}/**`],
  icon: { light: "images/icon.png", dark: "images/icon.png" },
}));
const grammars = ids
  .filter((id) => SCOPES[id])
  .map((id) => ({ language: `editd-${id}`, scopeName: `source.editd.${id}`, path: `./syntaxes/${id}.json` }));

const spaced = (entry) =>
  JSON.stringify(entry)
    .replace(/([{,:])(?=["[{])/g, "$1 ")
    .replaceAll("}", " }");
const rows = (entries) => entries.map((entry) => `      ${spaced(entry)}`).join(",\n");
const defaults = JSON.stringify({ [ids.map((id) => `[editd-${id}]`).join("")]: SETTINGS }, null, 2);
const file = path.join(here, "package.json");
const manifest = fs
  .readFileSync(file, "utf8")
  .replace(/("languages": \[\n)[^]*?(\n {4}\])/, (_, head, tail) => head + rows(languages) + tail)
  .replace(/("grammars": \[\n)[^]*?(\n {4}\])/, (_, head, tail) => head + rows(grammars) + tail)
  .replace(
    /"configurationDefaults": \{[^]*?\n {4}\}/,
    () => `"configurationDefaults": ${defaults.replaceAll("\n", "\n    ")}`,
  );
if (manifest !== fs.readFileSync(file, "utf8")) fs.writeFileSync(file, manifest);

fs.rmSync(path.join(here, "syntaxes"), { recursive: true, force: true });
fs.mkdirSync(path.join(here, "syntaxes"));
for (const { language, scopeName, path: grammar } of grammars)
  fs.writeFileSync(
    path.join(here, grammar),
    JSON.stringify({ scopeName, patterns: [{ include: SCOPES[language.replace("editd-", "")] }] }),
  );
