// Figures in words. Knows no editor.

import type { EditAnswer, ServerStatus } from "./protocol";

/** "1,234 tokens/s"; empty where nothing was measured, and of an edit that did not come to its end. */
export function speed(answer: EditAnswer | undefined): string {
  const rate = Math.round(answer?.stats.tokens_per_second ?? 0);
  return rate > 0 && answer?.status === "ok" ? `${rate.toLocaleString("en")} tokens/s` : "";
}

/** How much of an edit's text was drafted from the buffer and confirmed. */
export function provenance(answer: EditAnswer): string {
  const { output_tokens: all, accepted, written_by } = answer.stats;
  if (written_by === "text") return "It was put in as text; no model was asked.";
  if (written_by === "words") return "It was computed from the words; no model was asked.";
  if (!all || accepted === null) return "";
  const share = Math.round((100 * Math.min(accepted, all)) / all);
  return `${share} % of the edit's ${all} tokens were drafts that the model confirmed.`;
}

/** Facts about the daemon, for a list: name and value. */
export function daemonFacts(status: ServerStatus): [string, string][] {
  const { daemon } = status;
  const facts: [string, string][] = [
    ["State", status.message ? `${status.state}: ${status.message}` : status.state],
  ];
  if (status.model) facts.push(["Model", status.model]);
  if (!daemon) return facts;
  for (const model of asList(daemon["models"]))
    facts.push([
      "Loaded",
      [model["name"], model["device"], model["dtype"], megabytes(model["memory_bytes"])]
        .filter(Boolean)
        .join(", "),
    ]);
  facts.push(["Memory", megabytes(daemon["rss_bytes"])]);
  facts.push(["Shared by", counted(daemon["clients"], "editor or script", "editors and scripts")]);
  facts.push(["Waiting", counted(daemon["queue"], "edit", "edits")]);
  facts.push(["Version", String(daemon["editd_version"] ?? "")]);
  facts.push(["Process", String(daemon["pid"] ?? "")]);
  return facts.filter(([, value]) => value !== "");
}

function counted(value: unknown, one: string, several: string): string {
  return typeof value === "number" && value > 0 ? `${value} ${value === 1 ? one : several}` : "";
}

function asList(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

function megabytes(value: unknown): string {
  return typeof value === "number" && value > 0
    ? `${Math.round(value / 2 ** 20).toLocaleString("en")} MiB`
    : "";
}
