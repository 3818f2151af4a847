// Offers to install the server, and does so if the user agrees. `install.ts` decides what is run.

import { execFile, spawn } from "node:child_process";
import * as vscode from "vscode";
import { settings } from "./config";
import { installSteps, isNewEnough, shouldAskForTorchIndex, type InstallMachine, type Step } from "./install";
import { sentence, type Log } from "./log";
import { hasNvidia, thisMachine } from "./machine";

const GUIDE = "https://pytorch.org/get-started/locally/";

/** Asks first. True if editd is installed now. */
export async function offerInstall(context: vscode.ExtensionContext, log: Log): Promise<boolean> {
  const install = "Install";
  const choose = "Choose Program…";
  const answer = await vscode.window.showInformationMessage(
    "editd is not installed on this machine.",
    {
      modal: true,
      detail:
        "It can be installed into a Python environment of its own, which nothing else uses: " +
        `pip then fetches “${settings().installPackage}” and all that it needs. If editd is installed already, ` +
        "choose its program instead.",
    },
    install,
    choose,
  );
  if (answer === choose) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "editd.server.path");
    return false;
  }
  return answer === install && installServer(context, log);
}

/** Without asking whether; asks where PyTorch should come from if that matters. */
export async function installServer(context: vscode.ExtensionContext, log: Log): Promise<boolean> {
  const found = await thisMachine(context);
  const machine: InstallMachine = {
    platform: found.platform,
    hasNvidia: hasNvidia(),
    ownEnvironment: found.ownEnvironment,
    environment: process.env,
  };
  const python = await findPython(found.pythonInterpreter, machine.platform);
  if (!python) {
    void vscode.window.showErrorMessage(
      "editd needs Python 3.11 or newer, and none was found on this machine.",
    );
    return false;
  }
  const { installPackage, installPipArguments } = settings();
  const torchIndex = shouldAskForTorchIndex(machine, installPipArguments) ? await askForTorchIndex() : "";
  if (torchIndex === undefined) return false;
  const steps = installSteps(python, machine, {
    package: installPackage,
    pipArguments: installPipArguments,
    torchIndex,
  });
  try {
    await vscode.workspace.fs.createDirectory(context.globalStorageUri);
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "editd", cancellable: true },
      async (progress, token) => {
        for (const step of steps) {
          progress.report({ message: `${step.title}…`, increment: 100 / steps.length });
          await run(step, token, log);
        }
      },
    );
    return true;
  } catch (error) {
    log.error(`install: ${sentence(error)}`);
    const show = "Show Log";
    const other = "Choose Package…"; // a checkout's folder or a release's wheel, where no index has editd
    void vscode.window
      .showErrorMessage(`editd was not installed: ${sentence(error)}`, other, show)
      .then((answer) => {
        if (answer === other)
          void vscode.commands.executeCommand("workbench.action.openSettings", "editd.install.package");
        else if (answer) log.show();
      });
    return false;
  }
}

/** The index; empty: none, install the usual build; undefined: do not install. */
async function askForTorchIndex(): Promise<string | undefined> {
  const usual = "Install the usual build";
  const index = "Enter an index…";
  const guide = "Look it up";
  const answer = await vscode.window.showWarningMessage(
    "This machine has no NVIDIA GPU.",
    {
      modal: true,
      detail:
        "PyTorch's usual build for Linux brings CUDA libraries of several gigabytes that would do nothing here. " +
        "PyTorch's own site names the index of a build without them.",
    },
    index,
    usual,
    guide,
  );
  if (answer === usual) return "";
  if (answer === guide) await vscode.env.openExternal(vscode.Uri.parse(GUIDE));
  if (!answer) return undefined;
  return vscode.window.showInputBox({
    title: "editd: where pip finds PyTorch",
    prompt: "The value of --index-url for the CPU build, as PyTorch's site shows it",
    ignoreFocusOut: true,
    validateInput: (value) => (/^(https|file):\/\/\S+$/.test(value.trim()) ? undefined : "An https address"),
  });
}

async function findPython(
  chosen: string | undefined,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const names =
    platform === "win32" ? ["python", "py"] : ["python3", "python3.13", "python3.12", "python3.11"];
  for (const python of [...(chosen ? [chosen] : []), ...names]) {
    const version = await new Promise<string>((resolve) =>
      execFile(python, ["--version"], (error, stdout) => resolve(error ? "" : stdout)),
    );
    if (isNewEnough(version)) return python;
  }
  return undefined;
}

function run(step: Step, token: vscode.CancellationToken, log: Log): Promise<void> {
  return new Promise((resolve, reject) => {
    log.info(`${step.title}: ${step.program} ${step.arguments.join(" ")}`);
    const child = spawn(step.program, step.arguments, { stdio: ["ignore", "pipe", "pipe"] });
    let last = "";
    const read = (data: Buffer): void => {
      for (const line of data.toString().split(/\r?\n/).filter(Boolean)) {
        log.info(line);
        last = line;
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    const cancelled = token.onCancellationRequested(() => child.kill());
    child.on("error", reject);
    child.on("close", (code) => {
      cancelled.dispose();
      if (code === 0) resolve();
      else
        reject(new Error(token.isCancellationRequested ? "cancelled." : last || `${step.program} failed.`));
    });
  });
}
