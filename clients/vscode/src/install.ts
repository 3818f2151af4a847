// How editd is installed into its own environment. Decides; `offer-install.ts` asks and runs.

import * as path from "node:path";
import { programsOf } from "./find-server";

export interface InstallMachine {
  platform: NodeJS.Platform;
  hasNvidia: boolean;
  ownEnvironment: string;
  /** Variables of the environment, of which some tell pip where to look. */
  environment: NodeJS.ProcessEnv;
}

export interface Step {
  title: string;
  program: string;
  arguments: string[];
}

export interface InstallChoice {
  /** What pip is asked for: a name, a wheel, a folder. */
  package: string;
  pipArguments: readonly string[];
  /** Where the user says that a build of PyTorch without CUDA is; empty: where pip looks anyway. */
  torchIndex: string;
}

/**
 * Whether the user should be asked where a smaller build of PyTorch is.
 *
 * On Linux pip's usual build carries the CUDA libraries, gigabytes that do nothing without an
 * NVIDIA GPU. Elsewhere, with one, or where pip was told an index, the usual build is right.
 */
export function shouldAskForTorchIndex(machine: InstallMachine, pipArguments: readonly string[]): boolean {
  const { environment } = machine;
  const isTold =
    pipArguments.some((argument) => /^(-i|--index-url|--extra-index-url|-f|--find-links)\b/.test(argument)) ||
    ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"].some((name) => environment[name]);
  return machine.platform === "linux" && !machine.hasNvidia && !isTold;
}

/** The steps in their order; `python`: an interpreter of version 3.11 or newer. */
export function installSteps(python: string, machine: InstallMachine, choice: InstallChoice): Step[] {
  const own = path.join(
    programsOf(machine.ownEnvironment, machine.platform),
    machine.platform === "win32" ? "python.exe" : "python",
  );
  const pip = (...args: string[]): string[] => [
    "-m",
    "pip",
    "install",
    "--disable-pip-version-check",
    "--no-input",
    ...args,
  ];
  const steps: Step[] = [
    {
      title: "Making a Python environment",
      program: python,
      arguments: ["-m", "venv", "--clear", machine.ownEnvironment],
    },
  ];
  if (choice.torchIndex)
    // First and from there alone, so that the next step finds PyTorch already there.
    steps.push({
      title: "Installing PyTorch",
      program: own,
      arguments: pip("torch", "--index-url", choice.torchIndex),
    });
  steps.push({
    title: "Installing editd",
    program: own,
    arguments: pip(...choice.pipArguments, choice.package),
  });
  return steps;
}

/** Whether `python --version` printed a version that editd runs on. */
export function isNewEnough(versionLine: string): boolean {
  const match = /^Python (\d+)\.(\d+)/.exec(versionLine.trim());
  return match !== null && (Number(match[1]) > 3 || (Number(match[1]) === 3 && Number(match[2]) >= 11));
}
