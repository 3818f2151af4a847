// Mirrors editd/frontends/lsp/methods.py: names and types of everything that editd adds to LSP. A test compares the two.
//
// Field names and optionality follow the wire; what each means is said in methods.py and in
// docs/reference/lsp-methods.md. Requests are answered with the result type named beside them.

import type {
  OptionalVersionedTextDocumentIdentifier,
  Range,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageclient";

export const SCHEMA_VERSION = 2;

export const EDIT = "editd/edit"; // EditParams → EditAnswer
export const EDIT_DELTA = "editd/editDelta"; // notification to the client: EditDelta
export const EDIT_PROGRESS = "editd/editProgress"; // notification to the client: EditProgress
export const EDIT_REBASED = "editd/editRebased"; // notification to the client: EditRebased
export const ACCEPT = "editd/accept"; // AcceptParams → AcceptAnswer
export const REJECT = "editd/reject"; // RejectParams → RejectAnswer
export const CANCEL = "editd/cancel"; // CancelParams → CancelAnswer
export const WARMUP = "editd/warmup"; // WarmupParams → WarmupAnswer
export const WORKSPACE = "editd/workspace"; // notification to the server: WorkspaceParams
export const MENTIONS = "editd/mentions"; // MentionsParams → MentionList
export const PRESETS = "editd/presets"; // no params → PresetList
export const STATUS = "editd/status"; // no params → ServerStatus
export const DID_CHANGE_STATUS = "editd/didChangeStatus"; // notification to the client: ServerStatus

export const CODE_ACTION_KIND = "refactor.rewrite.editd"; // followed by a dot and a preset's name

export type EditToken = string | number;
export type HunkIds = number[] | "all";
export type FinishReason = "stop" | "length" | "cancelled" | "refused" | "error";

// --- editd/edit ---------------------------------------------------------------------------------

export interface ContextEntry {
  kind: "diagnostic" | "definition" | "recent-edit" | "note";
  text: string;
  uri?: string;
  range?: Range;
}

export interface EditParams {
  editToken: EditToken;
  instruction?: string;
  preset?: string;
  textDocument?: OptionalVersionedTextDocumentIdentifier;
  text?: string;
  languageId?: string;
  path?: string;
  range?: Range;
  prediction?: string;
  sketch?: string;
  merge?: "auto" | "text" | "model";
  context?: ContextEntry[];
  basedOn?: EditToken;
  options?: EditOptions;
  workDoneToken?: string | number;
}

/** Of editd/messages/options.py; this client leaves them to the server's configuration. */
export type EditOptions = Record<string, unknown>;

export interface WireHunk {
  id: number;
  start: number;
  oldCount: number;
  newLines: string[];
  done: boolean;
  suspect?: string;
  stale?: boolean;
  origins?: WireOrigin[];
  note?: string;
  noteSpans?: WireSpan[];
}

export interface WireSpan {
  line: number;
  start: number;
  end: number;
  text: string;
}

export interface WireOrigin {
  line: number;
  start: number;
  end: number;
  source: string;
  detail?: string;
}

export interface KeepOp {
  keep: number;
}

export interface HunkOp {
  hunk: WireHunk;
}

export interface EditDelta {
  editToken: EditToken;
  seq: number;
  version: number | null;
  ops: (KeepOp | HunkOp)[];
}

export interface EditAnswer {
  status: "ok" | "cancelled" | "failed";
  finish_reason: FinishReason;
  version: number | null;
  hunks: WireHunk[];
  edits: TextEdit[];
  text?: string;
  message?: string;
  code?: string;
  suspects: string[];
  notices: string[];
  summary: string;
  ways: Way[];
  model: string;
  stats: Stats;
}

/** Of editd/messages/options.py: what can be done instead. */
export interface Way {
  name: "reading" | "words" | "resembling" | "model" | "again" | "whole";
  title: string;
  needsModel: boolean;
}

/** Of editd/messages/reports.py. `null`: the answer's writer does not give that figure. */
export interface Stats {
  prompt_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number | null;
  rounds: number | null;
  tokens_per_round: number | null;
  drafted: number | null;
  accepted: number | null;
  rejected: number | null;
  acceptance_rate: number | null;
  accepted_prediction_tokens: number | null;
  rejected_prediction_tokens: number | null;
  first_hunk_ms: number | null;
  decode_seconds: number;
  total_seconds: number;
  tokens_per_second: number | null;
  drafter_seconds: number | null;
  exactness: string;
  min_margin: number | null;
  near_ties: number | null;
  load_seconds: number;
  drafter: string;
  written_by: string;
  restored_lines: number;
}

// --- what becomes of an edit --------------------------------------------------------------------

export type HunkState = "ok" | "stale" | "accepted" | "rejected";

export interface RebasedHunk {
  id: number;
  start: number;
  state: HunkState;
}

export interface EditRebased {
  editToken: EditToken;
  version: number;
  hunks: RebasedHunk[];
}

export interface AcceptParams {
  editToken: EditToken;
  hunkIds?: HunkIds;
  apply?: boolean;
}

export interface LeftOut {
  id: number;
  reason: string;
}

export interface AcceptAnswer {
  applied: boolean;
  version: number | null;
  hunkIds: number[];
  leftOut: LeftOut[];
  edit?: WorkspaceEdit;
  message?: string;
}

export interface RejectParams {
  editToken: EditToken;
  hunkIds?: HunkIds;
}

export interface RejectAnswer {
  hunkIds: number[];
  message?: string;
}

export interface CancelParams {
  editToken: EditToken;
  keep?: boolean;
}

export interface CancelAnswer {
  cancelled: boolean;
}

// --- the rest -----------------------------------------------------------------------------------

export interface WarmupParams {
  textDocument?: OptionalVersionedTextDocumentIdentifier;
  text?: string;
  languageId?: string;
  path?: string;
  range?: Range;
  options?: EditOptions;
}

export interface WarmupAnswer {
  status: "warm" | "cancelled" | "failed";
  message?: string;
}

export interface WorkspaceParams {
  trusted: boolean;
  root?: string;
}

export interface LineRegion {
  start: number;
  end: number;
}

export interface EditProgress {
  editToken: EditToken;
  version: number | null;
  regions: LineRegion[];
  message: string;
  fraction?: number;
}

export interface MentionsParams {
  prefix: string;
  textDocument: { uri: string; version?: number };
}

export interface MentionEntry {
  /** What stands after `@`, in quotes where it needs them. */
  name: string;
  kind: "file" | "definition";
  /** Of the other file that has the definition. */
  path?: string;
}

export interface MentionList {
  mentions: MentionEntry[];
}

export interface PresetEntry {
  /** Why the present model does not take it, with the way to one that does. */
  refusal?: string;
  name: string;
  title: string;
  instruction: string;
}

export interface PresetList {
  presets: PresetEntry[];
}

export interface ServerStatus {
  state: "stopped" | "starting" | "loading" | "idle" | "busy" | "error";
  model: string;
  message: string;
  queue: number;
  fraction?: number;
  schemaVersion: number;
  daemon?: Record<string, unknown>;
}
