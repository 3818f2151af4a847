// The one thing that the status bar says. Knows no editor.

import { speed } from "./figures";
import type { EditAnswer, ServerStatus } from "./protocol";

/** What is known when the status bar is painted. */
export interface Situation {
  process: "starting" | "running" | "stopped" | "missing";
  server?: ServerStatus | undefined;
  /** An edit of the document in front is running. */
  isEditing: boolean;
  /** Those of the document in front that wait for a decision. */
  hunks: number;
  /** How the last edit of the document in front ended; absent once that is old. */
  last?: EditAnswer | undefined;
}

export interface StatusText {
  icon: string;
  /** After "editd: "; empty: only "editd". */
  text: string;
}

/** The first row that fits. What goes on in the document in front comes before everything else. */
export function statusText({ process, server, isEditing, hunks, last }: Situation): StatusText {
  if (process === "missing") return { icon: "circle-slash", text: "not installed" };
  if (process === "starting") return { icon: "loading~spin", text: "starting" };
  if (isEditing)
    return { icon: "loading~spin", text: [progress(server), counted(hunks)].filter(Boolean).join(", ") };
  if (server?.state === "error") return { icon: "warning", text: "error" };
  if (hunks) return { icon: "diff", text: [counted(hunks), outcome(last)].filter(Boolean).join(" · ") };
  if (last?.status === "cancelled") return { icon: "circle-slash", text: "cancelled" };
  if (last && !last.hunks.length && last.summary) return { icon: "sparkle", text: phrase(last.summary) };
  if (server?.state === "loading") return { icon: "loading~spin", text: progress(server) };
  return { icon: "sparkle", text: "" };
}

function progress(server: ServerStatus | undefined): string {
  switch (server?.state) {
    case "loading":
      return server.fraction === undefined ? "loading" : `loading ${Math.round(100 * server.fraction)} %`;
    case "busy":
      return server.queue > 0 ? `waiting (${server.queue} before)` : "rewriting";
    default:
      return "starting";
  }
}

/** How the hunks came about: in words where the server has some, else how fast. */
function outcome(last: EditAnswer | undefined): string {
  return last?.summary ? phrase(last.summary) : speed(last);
}

function counted(hunks: number): string {
  return hunks ? `${hunks} ${hunks === 1 ? "hunk" : "hunks"}` : "";
}

const MAX_LENGTH = 60; // the rest is in the tooltip

/** A sentence as part of a line. */
function phrase(sentence: string): string {
  const words = sentence.replace(/\.$/, "");
  const short = words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH - 1)}…` : words;
  return /^[A-Z][a-z]/.test(short) ? short[0]!.toLowerCase() + short.slice(1) : short;
}
