-- Shows hunks in a buffer without touching it: old lines struck through, new ones as virtual lines.
--
-- Everything is extmarks, which move with the text. So between a keystroke and the server's word on
-- where the hunks stand now, they stand where the eye expects them.

local colors = require("editd.colors")
local view = require("editd.view")
local words = require("editd.words")

local M = {}

local ns = vim.api.nvim_create_namespace("editd")
local ns_earlier = vim.api.nvim_create_namespace("editd_earlier")
local api = vim.api

local MANY_LINES = 200 -- beyond that a hunk is struck through as a whole, with one extmark
local PRIORITY = 250 -- above syntax, semantic tokens and diagnostics

---@class editd.Shown
---@field revision integer
---@field marks integer[] extmarks; the first says where the hunk stands
---@field old_count integer
---@field above boolean its new lines are drawn above the first line of the file
---@field num_new integer
---@field stale boolean

---@type table<integer, table<integer, editd.Shown>> by buffer and hunk
local shown = {}
---@type table<integer, table<integer, { mark: integer, old_count: integer }>> by buffer and hunk: dimmed, or gone since
local dimmed = {}
---@type table<integer, integer> by buffer
local progress_marks = {}

local is_set_up = false

---Draw a hunk, or draw it anew. `hunk.start` must count lines of the buffer as it is now.
---@param buf integer
---@param hunk editd.Hunk
function M.show(buf, hunk)
  M._setup()
  local hunks = shown[buf] or {}
  shown[buf] = hunks
  local known = hunks[hunk.id]
  if known and known.revision == hunk.revision and M.place(buf, hunk.id) == M._first_row(hunk) then
    return
  end
  if known then
    M._delete(buf, known)
  end
  hunks[hunk.id] = M._draw(buf, hunk)
  if hunks[hunk.id].above then
    view.show_above_first_line(buf, hunks[hunk.id].num_new)
  end
end

---Where a hunk stands now.
---@param buf integer
---@param id integer
---@return integer? row 0-based; of an insertion: of the line that it follows, or 0
---@return integer? old_count
function M.place(buf, id)
  local known = shown[buf] and shown[buf][id]
  if not known then
    return nil
  end
  local position = api.nvim_buf_get_extmark_by_id(buf, ns, known.marks[1], {})
  return position[1], known.old_count
end

---The hunks that touch rows `lines[1]` to `lines[2]` (exclusive), in the order of the buffer.
---@param buf integer
---@param lines [integer, integer]
---@param with_stale? boolean include those that were withdrawn
---@return integer[] ids
function M.touching(buf, lines, with_stale)
  local rows = {}
  for id, known in pairs(shown[buf] or {}) do
    local row = M.place(buf, id)
    if (with_stale or not known.stale) and row < lines[2] and row + math.max(known.old_count, 1) > lines[1] then
      rows[id] = row
    end
  end
  local ids = vim.tbl_keys(rows)
  table.sort(ids, function(a, b)
    return rows[a] == rows[b] and a < b or rows[a] < rows[b]
  end)
  return ids
end

---The hunks that are dimmed and touch rows `lines[1]` to `lines[2]` (exclusive), or all of them, in the order of the buffer.
---@param buf integer
---@param lines? [integer, integer]
---@return integer[] ids, integer[] rows
function M.dimmed(buf, lines)
  local rows = {}
  for id, known in pairs(dimmed[buf] or {}) do
    local row = api.nvim_buf_get_extmark_by_id(buf, ns_earlier, known.mark, {})[1]
    if row and (not lines or row < lines[2] and row + math.max(known.old_count, 1) > lines[1]) then
      rows[id] = row
    end
  end
  local ids = vim.tbl_keys(rows)
  table.sort(ids, function(a, b)
    return rows[a] == rows[b] and a < b or rows[a] < rows[b]
  end)
  return ids, vim.tbl_map(function(id)
    return rows[id]
  end, ids)
end

---The hunks that are drawn.
---@param buf integer
---@return integer[] ids
function M.ids(buf)
  return vim.tbl_keys(shown[buf] or {})
end

---The row of the hunk that is `count` hunks away from `row`, of a dimmed one while there is no other; after the last comes
---the first.
---@param buf integer
---@param row integer
---@param count integer negative: backwards
---@return integer?
function M.step(buf, row, count)
  local rows = {}
  for id, known in pairs(shown[buf] or {}) do
    if not known.stale then
      rows[#rows + 1] = M.place(buf, id)
    end
  end
  if #rows == 0 then
    _, rows = M.dimmed(buf)
  end
  table.sort(rows)
  rows = vim.fn.uniq(rows)
  if #rows == 0 then
    return nil
  end
  local index -- of the hunk that a single step leads to
  if count > 0 then
    index = #vim.tbl_filter(function(other)
      return other <= row
    end, rows) + 1
    return rows[(index + count - 2) % #rows + 1]
  end
  index = #vim.tbl_filter(function(other)
    return other < row
  end, rows)
  return rows[(index + count) % #rows + 1]
end

---The last row of the hunks that begin at `row`; `row` itself if none does.
---@param buf integer
---@param row integer
---@return integer
function M.last_row(buf, row)
  local last = row
  for id, known in pairs(shown[buf] or {}) do
    if M.place(buf, id) == row then
      last = math.max(last, row + known.old_count - 1)
    end
  end
  return last
end

---@param buf integer
---@param id integer
function M.forget(buf, id)
  local known = shown[buf] and shown[buf][id]
  if known then
    M._delete(buf, known)
    shown[buf][id] = nil
  end
end

---Draw a dim text at the end of a line, in place of the last; nil removes it.
---@param buf integer
---@param row? integer 0-based; beyond the last line: the last line
---@param text? string
function M.progress(buf, row, text)
  local mark = progress_marks[buf]
  if not api.nvim_buf_is_loaded(buf) then
    progress_marks[buf] = nil
  elseif row then
    M._setup()
    progress_marks[buf] = api.nvim_buf_set_extmark(buf, ns, math.min(row, api.nvim_buf_line_count(buf) - 1), 0, {
      id = mark,
      virt_text = { { " ◂ editd " .. text, "EditdProgress" } },
      hl_mode = "combine",
      priority = PRIORITY,
    })
  elseif mark then
    api.nvim_buf_del_extmark(buf, ns, mark)
    progress_marks[buf] = nil
  end
end

---Draw all hunks of a buffer dimmed, as a proposal that another is to replace.
---@param buf integer
---@param hunks editd.Hunk[]
function M.dim(buf, hunks)
  local last_row = api.nvim_buf_line_count(buf) - 1
  dimmed[buf] = {}
  for _, hunk in ipairs(hunks) do
    local first = M.place(buf, hunk.id)
    if first and not hunk.stale then
      local last = math.min(first + math.max(hunk.old_count, 1) - 1, last_row)
      local lines = vim.tbl_map(function(line)
        return M.chunks(line, vim.bo[buf].tabstop, { group = "EditdEarlier" })
      end, hunk.new_lines)
      local mark
      if hunk.old_count > 0 then
        mark = api.nvim_buf_set_extmark(buf, ns_earlier, first, 0, {
          end_row = last + 1,
          strict = false,
          hl_group = "EditdStruck",
          priority = PRIORITY,
        })
      end
      if #lines > 0 then
        local is_above = hunk.old_count == 0 and hunk.start == 0
        local below = { virt_lines = lines, virt_lines_above = is_above }
        local drawn = api.nvim_buf_set_extmark(buf, ns_earlier, last, 0, below)
        mark = mark or drawn
      end
      dimmed[buf][hunk.id] = mark and { mark = mark, old_count = hunk.old_count }
    end
    M.forget(buf, hunk.id)
  end
end

---Remove what is dimmed before `row`, or all of it.
---@param buf integer
---@param row? integer
function M.undim(buf, row)
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns_earlier, 0, row or -1)
  end
end

---@param buf integer
function M.clear(buf)
  shown[buf] = nil
  dimmed[buf] = nil
  progress_marks[buf] = nil
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    api.nvim_buf_clear_namespace(buf, ns_earlier, 0, -1)
  end
end

-- --- drawing -------------------------------------------------------------------------------------

---@private
---@param hunk editd.Hunk
---@return integer
function M._first_row(hunk)
  return (hunk.old_count > 0 or hunk.start == 0) and hunk.start or hunk.start - 1
end

---@private
---@param buf integer
---@param hunk editd.Hunk
---@return editd.Shown
function M._draw(buf, hunk)
  local last_line = api.nvim_buf_line_count(buf) - 1
  local first = math.min(M._first_row(hunk), last_line)
  local drawn = {
    revision = hunk.revision,
    marks = {},
    old_count = hunk.old_count,
    above = false,
    num_new = 0,
    stale = hunk.stale == true,
  }
  if hunk.stale then
    M._mark(buf, drawn, first, 0, {
      virt_text = { { "  editd: changed under its hunk", "EditdStale" } },
      hl_mode = "combine",
    })
    return drawn
  end
  local last = first
  local old = {}
  if hunk.old_count > 0 then
    last = math.min(hunk.start + hunk.old_count - 1, last_line)
    old = api.nvim_buf_get_lines(buf, first, last + 1, false)
    -- To the start of the next line, so that hl_eol colours the last line's end, too.
    M._mark(buf, drawn, first, 0, {
      end_row = last + 1,
      end_col = 0,
      strict = false,
      hl_group = "EditdDelete",
      hl_eol = true,
    })
    M._strike(buf, drawn, first, old)
  end
  local lines = M._new_lines(buf, drawn, hunk, old, first)
  vim.list_extend(lines, M._marks(buf, hunk))
  drawn.above = hunk.old_count == 0 and hunk.start == 0
  drawn.num_new = #lines
  if #lines > 0 or #drawn.marks == 0 then
    M._mark(buf, drawn, last, 0, { virt_lines = lines, virt_lines_above = drawn.above })
  end
  return drawn
end

---Strike through the text of old lines, not their indentation.
---@private
function M._strike(buf, drawn, first, old)
  local group = { hl_group = "EditdStruck", strict = false }
  if #old > MANY_LINES then
    group.end_row, group.end_col = first + #old, 0
    M._mark(buf, drawn, first, 0, group)
    return
  end
  for index, line in ipairs(old) do
    local text = line:find("%S")
    if text then
      group.end_col = #line
      M._mark(buf, drawn, first + index - 1, text - 1, vim.deepcopy(group))
    end
  end
end

---The virtual lines of a hunk; marks the changed words of its old lines on the way.
---@private
---@param buf integer
---@param drawn editd.Shown
---@param hunk editd.Hunk
---@param old string[]
---@param first integer row of the first old line
---@return table[] lines, each a list of chunks
function M._new_lines(buf, drawn, hunk, old, first)
  local lines = {}
  local tabstop = vim.bo[buf].tabstop
  local width = view.width(buf)
  local paired = hunk.done and #old == #hunk.new_lines
  for index, text in ipairs(hunk.new_lines) do
    local old_range, new_range
    if paired and old[index] ~= text then
      old_range, new_range = words.changed(old[index], text)
    end
    if old_range and old_range[1] < old_range[2] then
      M._mark(buf, drawn, first + index - 1, old_range[1], {
        end_col = old_range[2],
        hl_group = "EditdDeleteText",
        priority = PRIORITY + 1,
      })
    end
    local noted = vim.tbl_filter(function(span)
      return span.line == index - 1
    end, hunk.noted or {})
    lines[index] = M.chunks(text, tabstop, { changed = new_range, noted = noted, width = width })
  end
  if not hunk.done then
    lines[#lines + 1] = { { "⋯", "EditdProgress" } }
  end
  return lines
end

---What a hunk's marks say, as virtual lines; notes on parts of it stand behind their lines (`chunks`).
---@private
---@param buf integer
---@param hunk editd.Hunk
---@return table[] lines, each a list of chunks
function M._marks(buf, hunk)
  local width = view.width(buf)
  local lines = {}
  local function add(sign, text, group)
    for index, part in ipairs(words.wrapped(text, width - 2)) do
      lines[#lines + 1] = { { (index == 1 and sign or " ") .. " " .. part, group } }
    end
  end
  if hunk.suspect then
    add("⚠", hunk.suspect .. " (not part of :EditdAccept!)", "EditdSuspect")
  end
  if hunk.note and hunk.note ~= hunk.suspect then
    add("·", hunk.note, "EditdNote")
  end
  return lines
end

---A new line as virtual text: tabs as wide as in the buffer, its changed bytes brighter, its noted ones underlined with
---the note behind the line, and coloured to the edge of the screen as the old lines are.
---@param text string
---@param tabstop integer
---@param options { changed?: [integer, integer], noted?: editd.Noted[], width?: integer, group?: string }
---  noted: of this line. width: columns for text and note. group: highlights all of it and does without the edge
---@return table[] chunks
function M.chunks(text, tabstop, options)
  local chunks, column = {}, 0
  local noted = options.noted or {}
  for _, part in ipairs(M._parts(text, options.changed, noted)) do
    local expanded = part[1]:gsub("[^\t]*\t?", function(piece)
      local plain = piece:gsub("\t", "")
      column = column + vim.fn.strdisplaywidth(plain, column)
      if plain == piece then
        return plain
      end
      local width = tabstop - column % tabstop
      column = column + width
      return plain .. (" "):rep(width)
    end)
    chunks[#chunks + 1] = { expanded, options.group or part[2] }
  end
  if options.group then
    return chunks
  end
  local note = #noted > 0 and words.cut("  · " .. words.notes(noted), (options.width or math.huge) - column) or ""
  if note ~= "" then
    chunks[#chunks + 1] = { note, { "EditdAdd", "EditdNote" } }
    column = column + vim.fn.strdisplaywidth(note)
  end
  chunks[#chunks + 1] = { (" "):rep(math.max(vim.o.columns - column, 1)), "EditdAdd" }
  return chunks
end

---A line in parts that look alike, each with its highlight.
---@private
---@param text string
---@param changed? [integer, integer]
---@param noted editd.Noted[]
---@return [string, string|string[]][]
function M._parts(text, changed, noted)
  local borders = { 0, #text, unpack(changed or {}) }
  for _, span in ipairs(noted) do
    vim.list_extend(borders, { span.first, span.last })
  end
  table.sort(borders)
  local parts = {}
  for index = 1, #borders - 1 do
    local first, last = borders[index], borders[index + 1]
    if last > first then
      local is_changed = changed and changed[1] <= first and last <= changed[2]
      local group = is_changed and "EditdAddText" or "EditdAdd"
      local is_noted = vim.iter(noted):any(function(span)
        return span.first <= first and last <= span.last
      end)
      parts[#parts + 1] = { text:sub(first + 1, last), is_noted and { group, "EditdNoted" } or group }
    end
  end
  return parts
end

---@private
function M._mark(buf, drawn, row, column, options)
  options.priority = options.priority or PRIORITY
  drawn.marks[#drawn.marks + 1] = api.nvim_buf_set_extmark(buf, ns, row, column, options)
end

---@private
function M._delete(buf, known)
  if api.nvim_buf_is_valid(buf) then
    for _, mark in ipairs(known.marks) do
      api.nvim_buf_del_extmark(buf, ns, mark)
    end
  end
end

-- --- above the first line ------------------------------------------------------------------------

---@private
function M._setup()
  if is_set_up then
    return
  end
  is_set_up = true
  colors.setup()
  -- After scrolling back to the top of the file, what would be inserted there shows again.
  api.nvim_create_autocmd("WinScrolled", {
    group = api.nvim_create_augroup("editd_preview", {}),
    callback = function()
      for win, moved in pairs(vim.v.event) do
        win = tonumber(win)
        if win and moved.topline < 0 and api.nvim_win_is_valid(win) then
          local buf = api.nvim_win_get_buf(win)
          for _, known in pairs(shown[buf] or {}) do
            if known.above then
              view.show_above_first_line(buf, known.num_new)
            end
          end
        end
      end
    end,
  })
end

return M
