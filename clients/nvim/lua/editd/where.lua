-- Where the new text of a hunk came from, as the server says it: for programs, and in a window.

local colors = require("editd.colors")

local M = {}

local ns = vim.api.nvim_create_namespace("editd_where")

---Source → how it is called, and its colour. In the order of the legend.
---@type [editd.Source, string, string][]
local SOURCES = {
  { "buffer", "copied from the file", "EditdFromBuffer" },
  { "substitution", "copied, with a replacement made", "EditdFromSubstitution" },
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

---What is shown of hunks: their new text, and below it what each colour means.
---@param hunks editd.Hunk[]
---@param encoding string
---@return string[] lines
---@return { row: integer, first: integer, last: integer, group: string }[] coloured
function M.page(hunks, encoding)
  local lines, coloured, shares, places = {}, {}, {}, {}
  for _, hunk in ipairs(hunks) do
    if #lines > 0 then
      lines[#lines + 1] = ""
    end
    local top = #lines
    vim.list_extend(lines, hunk.new_lines)
    for _, origin in ipairs(M.of(hunk, encoding)) do
      local group = M._source(origin.source)[3]
      coloured[#coloured + 1] =
        { row = top + origin.line, first = origin.first, last = origin.last, group = group }
      shares[origin.source] = (shares[origin.source] or 0) + #origin.text
      local is_place = origin.source == "project" and origin.detail
      if is_place and not vim.list_contains(places, origin.detail) then
        places[#places + 1] = origin.detail
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
      local named = source[1] == "project" and ": " .. table.concat(places, ", ") or ""
      lines[#lines + 1] = ("■ %3d %%  %s%s"):format(percent, source[2], named)
      coloured[#coloured + 1] =
        { row = #lines - 1, first = 0, last = #"■", group = source[3] }
    end
  end
  return lines, coloured
end

---Show it in a floating window, which goes when the cursor moves. Called again, it goes there.
---@param hunks editd.Hunk[]
---@param encoding string
function M.show(hunks, encoding)
  colors.setup()
  local lines, coloured = M.page(hunks, encoding)
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
