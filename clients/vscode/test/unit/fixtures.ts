// The protocol fixtures, which the Python and Lua tests read too.

import * as fs from "node:fs";
import * as path from "node:path";

declare const HERE: string; // clients/vscode, put in by test/unit.mjs

export const REPOSITORY = path.join(HERE, "..", "..");
const FOLDER = path.join(REPOSITORY, "clients", "fixtures", "protocol");

export interface Message {
  method?: string;
  params?: any;
  result?: any;
  error?: { code: number; message: string; data?: any };
}

export function names(): string[] {
  return fs
    .readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .sort();
}

export function fixture(name: string): Message {
  return JSON.parse(fs.readFileSync(path.join(FOLDER, `${name}.json`), "utf8")) as Message;
}

export function source(...parts: string[]): string {
  return fs.readFileSync(path.join(REPOSITORY, ...parts), "utf8");
}
