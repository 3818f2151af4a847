// What is sent to the server at its start. Knows no editor.

import type { WorkspaceParams } from "./protocol";

export interface Chosen {
  model: string;
  draftModel: string;
  presets: Record<string, string>;
}

/** It knows the rules of each value. `workspace`: whether the folders of this window are trusted. */
export function initializationOptions(chosen: Chosen, workspace: WorkspaceParams): Record<string, unknown> {
  const model = {
    ...(chosen.model && { name: chosen.model }),
    ...(chosen.draftModel && { draft: chosen.draftModel }),
  };
  return {
    // The extension has a status bar item and code actions of its own, which lead to the review.
    lsp: { progress: false, code_actions: false },
    workspace,
    ...(Object.keys(model).length && { model }),
    ...(Object.keys(chosen.presets).length && { edit: { presets: chosen.presets } }),
  };
}
