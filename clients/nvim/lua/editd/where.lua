-- Where the new text of a hunk came from, as the server says it: for programs, and in a window.

local colors = require("editd.colors")
local words = require("editd.words")

local M = {}

local ns = vim.api.nvim_create_namespace("editd_where")

---Source → how it is called, and its colour. In the order of the legend.
---@type [editd.Source, string, string][]
local SOURCES = {
  { "buffer", "copied from the file", "EditdFromBuffer" },
  { "substitution", "renamed as before", "EditdFromSubstitution" },
  { "output", "as written before in this edit", "EditdFromOutput" },
  { "sketch", "from what was applied", "EditdFromSketch" },
  { "project", "from the project", "EditdFromProject" },
  { "draft-model", "proposed by the draft model", "EditdFromDraftModel" },
  { "new", "the model's own", "EditdFromNew" },
}

---What is known of a hunk, in bytes of its lines.
---@param hunk editd.Hunk
---@param encoding string the server's position encoding
---@return editd.Origin[]
function M.of(hunk, encoding)
  local origins = {}
  for _, wire in ipairs(hunk.origins or {}) do
    local line = hunk.new_lines[wire.line + 1] or ""
    local first = M._byte(line, wire.start, encoding)
    local last = M._byte(line, wire["end"], encoding)
    if last > first then -- else it is the line's end alone
      origins[#origins + 1] = {
        hunk = hunk.id,
        line = wire.line,
        first = first,
        last = last,
        text = line:sub(first + 1, last),
        source = wire.source,
        detail = wire.detail,
      }
    end
  end
  return origins
end

---The parts of a hunk that there is a note on, in bytes of its lines.
---@param hunk editd.Hunk
---@param encoding string the server's position encoding
---@return editd.Noted[]
function M.noted(hunk, encoding)
  return vim.tbl_map(function(wire)
    local line = hunk.new_lines[wire.line + 1] or ""
    return {
      line = wire.line,
      first = M._byte(line, wire.start, encoding),
      last = M._byte(line, wire["end"], encoding),
      text = wire.text,
    }
  end, hunk.note_spans or {})
end

local MOST_NAMES = 4 -- named in a line of the legend

---What is shown of hunks: their new text, and below it what each colour means, and the notes on it.
---@param hunks editd.Hunk[]
---@param encoding string
---@param is_computed? boolean the edit was computed from its words
---@return string[] lines
---@return { row: integer, first: integer, last: integer, group: string }[] coloured
function M.page(hunks, encoding, is_computed)
  local lines, coloured, shares, names, notes = {}, {}, {}, {}, {}
  for _, hunk in ipairs(hunks) do
    if #lines > 0 then
      lines[#lines + 1] = ""
    end
    local top = #lines
    vim.list_extend(lines, hunk.new_lines)
    vim.list_extend(notes, M.noted(hunk, encoding))
    for _, origin in ipairs(M.of(hunk, encoding)) do
      local source = origin.source
      coloured[#coloured + 1] =
        { row = top + origin.line, first = origin.first, last = origin.last, group = M._source(source)[3] }
      shares[source] = (shares[source] or 0) + #origin.text
      names[source] = names[source] or {}
      local name = M._name(origin, hunk.new_lines[origin.line + 1])
      if name and not vim.list_contains(names[source], name) then
        table.insert(names[source], name)
      end
    end
  end
  lines[#lines + 1] = ""
  local total = 0
  for _, share in pairs(shares) do
    total = total + share
  end
  for _, source in ipairs(SOURCES) do
    if shares[source[1]] then
      local percent = math.floor(100 * shares[source[1]] / total + 0.5)
      local meaning = source[1] == "substitution" and is_computed and "computed from the words" or source[2]
      lines[#lines + 1] = ("■ %3d %%  %s%s"):format(percent, meaning, M._listed(names[source[1]]))
      coloured[#coloured + 1] =
        { row = #lines - 1, first = 0, last = #"■", group = source[3] }
    end
  end
  if #notes > 0 then
    lines[#lines + 1] = "·  " .. words.notes(notes)
  end
  return lines, coloured
end

---What the legend names of an origin: another file's place, or the name that was put in; nil for other sources.
---@private
---@param origin editd.Origin
---@param line string
---@return string?
function M._name(origin, line)
  if origin.source == "project" then
    return origin.detail
  elseif origin.source == "substitution" then
    local name = words.identifier(line, origin.first, origin.last)
    return name:match("[%w_\128-\255]") and name or nil
  end
end

---@private
---@param names string[]
---@return string
function M._listed(names)
  if #names == 0 then
    return ""
  end
  local more = #names > MOST_NAMES and (" and %d more"):format(#names - MOST_NAMES) or ""
  return ": " .. table.concat(vim.list_slice(names, 1, MOST_NAMES), ", ") .. more
end

---Show it in a floating window, which goes when the cursor moves. Called again, it goes there.
---@param hunks editd.Hunk[]
---@param encoding string
---@param is_computed boolean
function M.show(hunks, encoding, is_computed)
  colors.setup()
  local lines, coloured = M.page(hunks, encoding, is_computed)
  local buf, win = vim.lsp.util.open_floating_preview(lines, "", {
    focus_id = "editd-where",
    border = "rounded",
    title = " editd: where it came from ",
    wrap = false,
    max_width = math.max(vim.o.columns - 4, 20),
    max_height = math.max(vim.o.lines - 6, 5),
  })
  if vim.api.nvim_win_is_valid(win) then
    vim.wo[win].list = false
  end
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for _, mark in ipairs(coloured) do
    vim.api.nvim_buf_set_extmark(buf, ns, mark.row, mark.first, {
      end_col = mark.last,
      hl_group = mark.group,
    })
  end
end

---@private
---@return [string, string, string]
function M._source(name)
  return vim.iter(SOURCES):find(function(source)
    return source[1] == name
  end) or { name, name, "EditdFromNew" } -- a newer server may know more
end

---The byte before which so many characters stand; at most the line's length.
---@private
---@param line string
---@param character integer
---@param encoding string
---@return integer
function M._byte(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  end
  local bytes, seen = 0, 0
  while bytes < #line and seen < character do
    local size = vim.str_utf_end(line, bytes + 1) + 1
    seen = seen + ((encoding == "utf-16" and size == 4) and 2 or 1)
    bytes = bytes + size
  end
  return bytes
end

return M
