// What a user may choose among: the models that `editd models list --json` names. Knows no editor.

export interface ModelChoice {
  label: string;
  description: string;
  /** What the setting becomes; empty: editd's own configuration decides; undefined: a file that the user looks for. */
  model: string | undefined;
}

/** Those that can be used here, the one in use first. Throws for what is no such list. */
export function modelChoices(json: string, chosen: string): ModelChoice[] {
  const list = JSON.parse(json) as { here?: unknown; used?: unknown };
  if (!Array.isArray(list.here)) throw new Error("This editd is older than the extension: update it.");
  const models = list.here
    .filter((model) => typeof model.name === "string" && !model.unusable)
    .map((model) => ({ label: model.name, description: described(model), model: model.name }));
  const own = { label: "As editd is configured", description: String(list.used ?? ""), model: "" };
  const file = {
    label: "Browse for a .gguf…",
    description: "A file of weights on this machine",
    model: undefined,
  };
  const all: ModelChoice[] = [...models, own, file];
  return [...all.filter(({ model }) => model === chosen), ...all.filter(({ model }) => model !== chosen)];
}

function described(model: Record<string, unknown>): string {
  const size = Number(model.size_bytes ?? 0);
  const context = Number(model.context ?? 0);
  return [
    size >= 1e9 ? `${(size / 1e9).toFixed(1)} GB` : `${Math.round(size / 1e6)} MB`,
    model.quantisation,
    context >= 1024 && `context ${Math.floor(context / 1024)}k`,
    model.edits ? `edits ${model.edits}` : "any edit",
    !model.fits && "does not fit into memory",
  ]
    .filter(Boolean)
    .join(" · ");
}
