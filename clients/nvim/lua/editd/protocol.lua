-- Names and shapes of everything that editd adds to LSP. Mirrors editd/lsp/methods.py; the examples
-- in clients/fixtures/protocol are checked against it.

local M = {}

M.SCHEMA_VERSION = 2

M.EDIT = "editd/edit"
M.EDIT_DELTA = "editd/editDelta"
M.EDIT_PROGRESS = "editd/editProgress"
M.EDIT_REBASED = "editd/editRebased"
M.ACCEPT = "editd/accept"
M.REJECT = "editd/reject"
M.CANCEL = "editd/cancel"
M.WARMUP = "editd/warmup"
M.COMPLETE = "editd/complete"
M.WORKSPACE = "editd/workspace"
M.MENTIONS = "editd/mentions"
M.PRESETS = "editd/presets"
M.STATUS = "editd/status"
M.DID_CHANGE_STATUS = "editd/didChangeStatus"

---Shape → field → what it holds. A name ending in `?` may be absent, one in `[]` is a list; names
---that begin with a capital are shapes themselves; "a|b" is one of several.
---@type table<string, table<string, string>>
M.SHAPES = {
  WireHunk = {
    id = "number",
    start = "number",
    oldCount = "number",
    newLines = "string[]",
    done = "boolean",
    suspect = "string?",
    stale = "boolean?",
    origins = "Origin[]?",
    note = "string?",
    noteSpans = "NoteSpan[]?",
  },
  NoteSpan = { line = "number", start = "number", ["end"] = "number", text = "string" },
  Way = { name = "string", title = "string", needsModel = "boolean" },
  Origin = {
    line = "number",
    start = "number",
    ["end"] = "number",
    source = "string",
    detail = "string?",
  },
  Op = { keep = "number?", hunk = "WireHunk?" },
  EditParams = {
    editToken = "string|number",
    instruction = "string?",
    preset = "string?",
    textDocument = "table?",
    text = "string?",
    languageId = "string?",
    path = "string?",
    range = "table?",
    prediction = "string?",
    sketch = "string?",
    merge = "string?",
    context = "ContextEntry[]?",
    basedOn = "string|number?",
    options = "table?",
    workDoneToken = "string|number?",
  },
  ContextEntry = { kind = "string", text = "string", uri = "string?", range = "table?" },
  EditDelta = {
    editToken = "string|number",
    seq = "number",
    version = "number?",
    ops = "Op[]",
  },
  EditAnswer = {
    status = "string",
    finish_reason = "string",
    version = "number?",
    hunks = "WireHunk[]",
    edits = "table[]",
    text = "string?",
    message = "string?",
    code = "string?",
    suspects = "string[]",
    notices = "string[]",
    summary = "string",
    ways = "Way[]",
    model = "string",
    stats = "table",
  },
  LineRegion = { start = "number", ["end"] = "number" },
  EditProgress = {
    editToken = "string|number",
    version = "number?",
    regions = "LineRegion[]",
    message = "string",
    fraction = "number?",
  },
  EditRebased = { editToken = "string|number", version = "number", hunks = "RebasedHunk[]" },
  RebasedHunk = { id = "number", start = "number", state = "string" },
  AcceptParams = {
    editToken = "string|number",
    hunkIds = "string|number[]?",
    apply = "boolean?",
  },
  AcceptAnswer = {
    applied = "boolean",
    version = "number?",
    hunkIds = "number[]",
    leftOut = "LeftOut[]",
    edit = "table?",
    message = "string?",
  },
  LeftOut = { id = "number", reason = "string" },
  RejectParams = { editToken = "string|number", hunkIds = "string|number[]?" },
  RejectAnswer = { hunkIds = "number[]", message = "string?" },
  CancelParams = { editToken = "string|number", keep = "boolean?" },
  CancelAnswer = { cancelled = "boolean" },
  WarmupParams = {
    textDocument = "table?",
    text = "string?",
    languageId = "string?",
    path = "string?",
    range = "table?",
    options = "table?",
  },
  WarmupAnswer = { status = "string", message = "string?" },
  WorkspaceParams = { trusted = "boolean", root = "string?" },
  MentionsParams = { prefix = "string", textDocument = "table" },
  Mention = { name = "string", kind = "string", path = "string?" },
  MentionList = { mentions = "Mention[]" },
  Preset = { name = "string", title = "string", instruction = "string", refusal = "string?" },
  PresetList = { presets = "Preset[]" },
  ServerStatus = {
    state = "string",
    model = "string",
    message = "string",
    queue = "number",
    fraction = "number?",
    schemaVersion = "number",
    daemon = "table?",
  },
}

---Method → the shapes of its params and, for a request, of its result.
---@type table<string, { params?: string, result?: string }>
M.MESSAGES = {
  [M.EDIT] = { params = "EditParams", result = "EditAnswer" },
  [M.EDIT_DELTA] = { params = "EditDelta" },
  [M.EDIT_REBASED] = { params = "EditRebased" },
  [M.EDIT_PROGRESS] = { params = "EditProgress" },
  [M.ACCEPT] = { params = "AcceptParams", result = "AcceptAnswer" },
  [M.REJECT] = { params = "RejectParams", result = "RejectAnswer" },
  [M.CANCEL] = { params = "CancelParams", result = "CancelAnswer" },
  [M.WARMUP] = { params = "WarmupParams", result = "WarmupAnswer" },
  [M.COMPLETE] = {}, -- for programs; this plugin does not chat
  [M.WORKSPACE] = { params = "WorkspaceParams" },
  [M.MENTIONS] = { params = "MentionsParams", result = "MentionList" },
  [M.PRESETS] = { result = "PresetList" },
  [M.STATUS] = { result = "ServerStatus" },
  [M.DID_CHANGE_STATUS] = { params = "ServerStatus" },
}

---What is wrong with a message, nil if nothing is. Fields that are not known are allowed: a newer
---server may say more.
---@param shape string
---@param value any
---@param path? string
---@return string?
function M.problem(shape, value, path)
  path = path or shape
  if type(value) ~= "table" then
    return path .. " is no object"
  end
  for field, kind in vim.spairs(M.SHAPES[shape]) do
    local problem = M._field_problem(kind, value[field], path .. "." .. field)
    if problem then
      return problem
    end
  end
end

---@private
---@param kind string
---@param value any
---@param path string
---@return string?
function M._field_problem(kind, value, path)
  local required = kind:gsub("%?$", "")
  if value == nil or value == vim.NIL then
    return required == kind and path .. " is missing" or nil
  end
  local problem
  for _, one in ipairs(vim.split(required, "|", { plain = true })) do
    problem = M._type_problem(one, value, path)
    if not problem then
      return nil
    end
  end
  return problem
end

---@private
---@param kind string
---@param value any
---@param path string
---@return string?
function M._type_problem(kind, value, path)
  local element = kind:match("^(.*)%[%]$")
  if element then
    if type(value) ~= "table" or not vim.islist(value) then
      return path .. " is no list"
    end
    for index, item in ipairs(value) do
      local problem = M._type_problem(element, item, ("%s[%d]"):format(path, index - 1))
      if problem then
        return problem
      end
    end
    return nil
  end
  if M.SHAPES[kind] then
    return M.problem(kind, value, path)
  end
  return type(value) ~= kind and ("%s is a %s, no %s"):format(path, type(value), kind) or nil
end

return M
