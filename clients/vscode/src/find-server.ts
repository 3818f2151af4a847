// Which `editd` program to run: the setting, the active Python environment, PATH, ~/.local/bin, our own install.
//
// Decides only; `Machine` looks at the disk, so that the decision can be tested. Nothing of
// a workspace that the user does not trust is ever run.

import * as path from "node:path";

export interface Machine {
  platform: NodeJS.Platform;
  /** The value of PATH. */
  searchPath: string;
  home: string;
  /** The interpreter that the user chose for this workspace, if a Python extension knows one. */
  pythonInterpreter: string | undefined;
  workspaceFolders: readonly string[];
  isTrusted: boolean;
  /** The environment that this extension makes when it installs editd. */
  ownEnvironment: string;
  isProgram(file: string): boolean;
}

export type Found =
  | { kind: "found"; program: string; origin: Origin }
  /** The setting names something that is no program: said, and nothing else is tried. */
  | { kind: "broken-setting"; program: string }
  | { kind: "missing" };

export type Origin = "setting" | "python-environment" | "path" | "own-environment";

export function findServer(setting: string, machine: Machine): Found {
  if (setting) {
    const program = expandHome(setting, machine.home);
    return path.isAbsolute(program) && machine.isProgram(program)
      ? { kind: "found", program, origin: "setting" }
      : { kind: "broken-setting", program };
  }
  for (const [origin, folder] of folders(machine)) {
    const program = path.join(folder, programName(machine.platform));
    if (machine.isProgram(program)) return { kind: "found", program, origin };
  }
  return { kind: "missing" };
}

/** The folder of an environment's programs. */
export function programsOf(environment: string, platform: NodeJS.Platform): string {
  return path.join(environment, platform === "win32" ? "Scripts" : "bin");
}

export function programName(platform: NodeJS.Platform): string {
  return platform === "win32" ? "editd.exe" : "editd";
}

function* folders(machine: Machine): Generator<[Origin, string]> {
  if (machine.isTrusted) {
    // An interpreter that was chosen for a workspace may be a file of the workspace.
    if (machine.pythonInterpreter) yield ["python-environment", path.dirname(machine.pythonInterpreter)];
    for (const folder of machine.workspaceFolders)
      for (const name of [".venv", "venv"])
        yield ["python-environment", programsOf(path.join(folder, name), machine.platform)];
  }
  // uv and pipx put programs into the last one, which an editor that the desktop started often has not on its PATH.
  for (const folder of [
    ...machine.searchPath.split(path.delimiter),
    path.join(machine.home, ".local", "bin"),
  ]) {
    // "" and "." mean the current folder, which may not be trusted.
    if (!path.isAbsolute(folder)) continue;
    if (!machine.isTrusted && machine.workspaceFolders.some((root) => isInside(folder, root))) continue;
    yield ["path", folder];
  }
  yield ["own-environment", programsOf(machine.ownEnvironment, machine.platform)];
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return !relative.startsWith("..") && !path.isAbsolute(relative);
}

function expandHome(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(2)) : file;
}
