// How hunks look: VS Code's decoration types, each made once.

import * as vscode from "vscode";

export const BOX = "border-left: 2px solid var(--vscode-editd-hunkBorder)";

const color = (name: string): vscode.ThemeColor => new vscode.ThemeColor(`editd.${name}`);

function bar(dark: string, light: string, ruler: vscode.ThemeColor): vscode.TextEditorDecorationType {
  const icon = (fill: string): vscode.Uri =>
    vscode.Uri.parse(
      `data:image/svg+xml;utf8,${encodeURIComponent(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18" preserveAspectRatio="none"><rect x="12" width="4" height="18" fill="${fill}"/></svg>`,
      )}`,
    );
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    dark: { gutterIconPath: icon(dark), gutterIconSize: "cover" },
    light: { gutterIconPath: icon(light), gutterIconSize: "cover" },
    overviewRulerColor: ruler,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}

function insertionPoint(borderWidth: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth,
    borderStyle: "dashed",
    borderColor: color("hunkBorder"),
  });
}

export const TYPES = {
  hunk: bar("#2ea043", "#2ea043", color("hunkBorder")),
  suspect: bar("#d29922", "#bf8700", color("suspectBorder")),
  noted: bar("#8b949e", "#6e7781", color("noteForeground")),
  stale: bar("#6e7681", "#afb8c1", color("suspectBorder")),
  removedLine: vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: color("removedBackground"),
  }),
  removedText: vscode.window.createTextEditorDecorationType({
    backgroundColor: color("removedBackground"),
    textDecoration: "line-through",
    opacity: "0.65",
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  }),
  inserted: vscode.window.createTextEditorDecorationType({
    after: { color: color("insertedForeground"), backgroundColor: color("insertedBackground") },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  }),
  insertedLine: vscode.window.createTextEditorDecorationType({
    after: {
      color: color("insertedForeground"),
      backgroundColor: color("insertedBackground"),
      textDecoration: `none; ${BOX}`,
    },
    rangeBehavior: vscode.DecorationRangeBehavior.OpenOpen,
  }),
  insertedBefore: insertionPoint("1px 0 0 0"),
  insertedAfter: insertionPoint("0 0 1px 0"),
  /** An edit that is being refined. */
  dimmed: vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: "0.5" }),
  /** Lines that come into a proposal: VS Code marks them itself a moment later. */
  growing: vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
  }),
  head: vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
  }),
};
