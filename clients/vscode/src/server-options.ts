// What the server is told at its start. Knows no editor.

export interface Chosen {
  model: string;
  draftModel: string;
  presets: Record<string, string>;
}

/** What the server is told at its start; it knows the rules of each value. */
export function initializationOptions(chosen: Chosen): Record<string, unknown> {
  const model = {
    ...(chosen.model && { name: chosen.model }),
    ...(chosen.draftModel && { draft: chosen.draftModel }),
  };
  return {
    // The extension has a status bar item and code actions of its own, which lead to the review.
    lsp: { progress: false, code_actions: false },
    ...(Object.keys(model).length && { model }),
    ...(Object.keys(chosen.presets).length && { edit: { presets: chosen.presets } }),
  };
}
