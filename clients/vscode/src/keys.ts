// Keys as this machine's keyboard calls them. Knows no editor.

/** The keys that package.json binds, by command; a test compares the two. */
export const KEYS = {
  "editd.rewrite": "ctrl+alt+r",
  "editd.refine": "ctrl+alt+r",
  "editd.acceptHunk": "alt+enter",
  "editd.rejectHunk": "alt+backspace",
  "editd.acceptAll": "shift+alt+enter",
  "editd.rejectAll": "shift+alt+backspace",
  "editd.nextHunk": "alt+f5",
  "editd.previousHunk": "shift+alt+f5",
  "editd.openDiff": "alt+f6",
  "editd.cancelEdit": "escape",
  "editd.closeProposal": "escape",
} as const;

export type BoundCommand = keyof typeof KEYS;

const MAC: Record<string, string> = {
  ctrl: "⌘", // bound to cmd there
  alt: "⌥",
  shift: "⇧",
  enter: "⏎",
  backspace: "⌫",
  escape: "Esc",
};
const MAC_ORDER = ["shift", "alt", "ctrl"];

/** The key of a command as VS Code writes it: "Alt+Enter", on a Mac "⌥⏎". */
export function keyOf(command: BoundCommand, isMac = process.platform === "darwin"): string {
  const parts = KEYS[command].split("+");
  if (!isMac) return parts.map((part) => part[0]!.toUpperCase() + part.slice(1)).join("+");
  const modifiers = MAC_ORDER.filter((modifier) => parts.includes(modifier));
  return [...modifiers, parts.at(-1)!].map((part) => MAC[part] ?? part.toUpperCase()).join("");
}
