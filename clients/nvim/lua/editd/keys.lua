-- Keys of a buffer while its hunks wait, and the dim line that names them.
--
-- They are mapped in that buffer alone, from the first open hunk to the last decision. A key that the user has mapped,
-- or begins a longer mapping of theirs with, stays theirs; `notice` says so once.

local config = require("editd.config")
local preview = require("editd.preview")
local view = require("editd.view")

local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("editd_keys")

---@class editd.Key
---@field lhs string
---@field modes string[]
---@field command string the command that does the same
---@field press fun() run in Normal mode; in Visual mode the command is run on the selected lines

---Run `action` on the hunk under the cursor; with none there, go to the next hunk.
---@param action "accept"|"reject"
local function decide_or_go(action)
  local editd = require("editd")
  if M.is_on_hunk(api.nvim_get_current_buf()) then
    editd[action]()
  else
    editd.next()
  end
end

---@type editd.Key[]
local KEYS = {
  {
    lhs = "ga",
    modes = { "n", "x" },
    command = "EditdAccept",
    press = function()
      decide_or_go("accept")
    end,
  },
  {
    lhs = "gA",
    modes = { "n" },
    command = "EditdAccept!",
    press = function()
      require("editd").accept({ all = true })
    end,
  },
  {
    lhs = "gz",
    modes = { "n", "x" },
    command = "EditdReject",
    press = function()
      decide_or_go("reject")
    end,
  },
  {
    lhs = "gZ",
    modes = { "n" },
    command = "EditdReject!",
    press = function()
      require("editd").reject({ all = true })
    end,
  },
  {
    lhs = "]e",
    modes = { "n" },
    command = "EditdNext",
    press = function()
      require("editd").next(vim.v.count1)
    end,
  },
  {
    lhs = "[e",
    modes = { "n" },
    command = "EditdPrev",
    press = function()
      require("editd").prev(vim.v.count1)
    end,
  },
}

---@class editd.BufferKeys
---@field usable table<string, boolean> keys that do what the hint says, here or by a mapping of the user's
---@field mapped { mode: string, lhs: string }[]
---@field group integer of autocommands
---@field count integer open hunks
---@field hint? string where and what the hint is, to leave it alone while that stays

---@type table<integer, editd.BufferKeys>
local by_buffer = {}
---@type table<string, boolean> keys that stayed the user's, still to be reported
local unreported = {}
---@type table<string, boolean> the same, reported
local reported = {}

---Map the keys of a buffer and draw the hint, or bring both up to date; `count` open hunks, 0 ends it unless others are
---dimmed, to which keys have an answer and the hint has none.
---@param buf integer
---@param count integer
function M.update(buf, count)
  if not config.options.keys or count + #preview.dimmed(buf) == 0 then
    M.clear(buf)
    return
  end
  if not by_buffer[buf] then
    by_buffer[buf] = M._map(buf)
  end
  by_buffer[buf].count = count
  M._draw_hint(buf)
end

---Unmap the keys of a buffer and remove the hint; no effect on a buffer without them.
---@param buf integer
function M.clear(buf)
  local keys = by_buffer[buf]
  if not keys then
    return
  end
  by_buffer[buf] = nil
  api.nvim_del_augroup_by_id(keys.group)
  if not api.nvim_buf_is_valid(buf) then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for _, key in ipairs(keys.mapped) do
    if M._is_ours(M._mapping(api.nvim_buf_get_keymap(buf, key.mode), key.lhs)) then
      vim.keymap.del(key.mode, key.lhs, { buffer = buf })
    end
  end
end

---How to accept the `count` hunks of a buffer, in one sentence; if there is one and the cursor is elsewhere, also how to
---get there.
---@param buf integer
---@param count integer
---@return string
function M.how_to_accept(buf, count)
  local usable = by_buffer[buf] and by_buffer[buf].usable or {}
  local accept, accept_all = usable.ga and "ga" or ":EditdAccept", usable.gA and "gA" or ":EditdAccept!"
  if count == 1 then
    local is_there = api.nvim_get_current_buf() ~= buf or M.is_on_hunk(buf)
    local next_hunk = usable["]e"] and "]e" or ":EditdNext"
    return (is_there and "" or next_hunk .. ", then ") .. accept .. " accepts it." -- also if it is doubtful
  end
  return ("%s accepts, %s all."):format(accept, accept_all)
end

---Which keys stayed the user's, as a sentence; nil if none did or all of these have been reported.
---@return string?
function M.notice()
  local keys, commands = {}, {}
  for _, key in ipairs(KEYS) do
    if unreported[key.lhs] then
      keys[#keys + 1], commands[#commands + 1] = key.lhs, ":" .. key.command
      reported[key.lhs] = true
    end
  end
  unreported = {}
  if #keys == 0 then
    return nil
  elseif #keys == 1 then
    return ("Your mapping of %s stays; %s does it."):format(keys[1], commands[1])
  end
  return ("Your mappings of %s stay; %s do it."):format(table.concat(keys, ", "), table.concat(commands, ", "))
end

---Whether the cursor of the current window, which shows `buf`, touches an open or dimmed hunk.
---@param buf integer
---@return boolean
function M.is_on_hunk(buf)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local lines = { row, row + 1 }
  return #preview.touching(buf, lines) + #preview.dimmed(buf, lines) > 0
end

-- --- mapping -------------------------------------------------------------------------------------

local DESCRIPTION = "editd: "

---@private
---@param buf integer
---@return editd.BufferKeys
function M._map(buf)
  local keys = { usable = {}, mapped = {}, count = 0 }
  for _, key in ipairs(KEYS) do
    local theirs = M._of_user(buf, key)
    if not theirs then
      for _, mode in ipairs(key.modes) do
        local run = mode == "x" and (":%s<CR>"):format(key.command) or key.press
        vim.keymap.set(mode, key.lhs, run, {
          buffer = buf,
          nowait = true,
          silent = true,
          desc = DESCRIPTION .. key.command,
        })
        table.insert(keys.mapped, { mode = mode, lhs = key.lhs })
      end
    elseif not M._is_plug(theirs) then
      unreported[key.lhs] = not reported[key.lhs]
    end
    keys.usable[key.lhs] = not theirs or M._is_plug(theirs)
  end
  keys.group = api.nvim_create_augroup("editd_keys_" .. buf, {})
  local function redraw()
    M._draw_hint(buf)
  end
  api.nvim_create_autocmd({ "CursorMoved", "BufEnter" }, { group = keys.group, buffer = buf, callback = redraw })
  api.nvim_create_autocmd({ "ModeChanged", "WinScrolled", "WinResized" }, { group = keys.group, callback = redraw })
  return keys
end

---The mapping that `lhs` is, or is the beginning of.
---@private
---@param mappings table[]
---@param lhs string
---@return table?
function M._mapping(mappings, lhs)
  return vim.iter(mappings):find(function(mapping)
    return vim.startswith(mapping.lhs, lhs)
  end)
end

---The mapping of the user that this key would hide, in any of its modes.
---@private
---@param buf integer
---@param key editd.Key
---@return table?
function M._of_user(buf, key)
  for _, mode in ipairs(key.modes) do
    local found = M._mapping(api.nvim_buf_get_keymap(buf, mode), key.lhs)
      or M._mapping(api.nvim_get_keymap(mode), key.lhs)
    if found then
      return found
    end
  end
end

---@private
---@param mapping table?
function M._is_ours(mapping)
  return mapping ~= nil and vim.startswith(mapping.desc or "", DESCRIPTION .. "Editd")
end

---@private
---@param mapping table
function M._is_plug(mapping)
  return vim.startswith(mapping.rhs or "", "<Plug>(editd-")
end

-- --- the hint ------------------------------------------------------------------------------------

---Name the keys at the end of a line of the current window: of the first line of the hunk that they are about, or of the
---nearest line in view. Nothing is drawn in Insert mode, nor where there is no room.
---@private
---@param buf integer
function M._draw_hint(buf)
  local keys = by_buffer[buf]
  local win = view.window_of(buf)
  if not keys or not win then
    return
  end
  local cursor = api.nvim_win_get_cursor(win)[1] - 1
  local on_hunk = preview.touching(buf, { cursor, cursor + 1 })[1]
  local row = on_hunk and preview.place(buf, on_hunk) or preview.step(buf, cursor, 1)
  local text = ""
  if row and keys.count > 0 and vim.api.nvim_get_mode().mode:sub(1, 1) ~= "i" then
    local found = view.in_view(win, row)
    local where = not on_hunk and (found < row and " below" or found > row and " above") or ""
    row = found
    local room = view.room_after(win, row) - 2
    text = vim.iter(M.hints(keys.usable, on_hunk ~= nil, keys.count, where)):find(function(hint)
      return vim.fn.strdisplaywidth(hint) <= room
    end) or ""
  end
  local state = text ~= "" and row .. " " .. text or ""
  if state == keys.hint and state == "" then
    return
  end
  keys.hint = state
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  if text ~= "" then
    api.nvim_buf_set_extmark(buf, ns, row, 0, {
      virt_text = { { " " .. text, "EditdKeys" } },
      hl_mode = "combine",
      priority = 260, -- after the progress of a running edit
    })
  end
end

---What the hint says, the longest first.
---@param usable table<string, boolean>
---@param is_on_hunk boolean
---@param count integer open hunks
---@param where string " above", " below" or empty: where the next hunk is
---@return string[]
function M.hints(usable, is_on_hunk, count, where)
  local function named(...)
    local parts = {}
    for _, pair in ipairs({ ... }) do
      if usable[pair[1]] then
        parts[#parts + 1] = table.concat(pair, " ")
      end
    end
    return table.concat(parts, " · ")
  end
  local hunks = (count == 1 and "1 hunk" or count .. " hunks") .. where
  local function counted(text)
    return text ~= "" and hunks .. " · " .. text or ""
  end
  if not is_on_hunk then
    return {
      counted(named({ "]e", "next" }, { "gA", "accept all" }, { "gZ", "reject all" })),
      counted(named({ "]e", "next" })),
    }
  elseif count == 1 then
    return { named({ "ga", "accept" }, { "gz", "reject" }) }
  end
  return {
    named({ "ga", "accept" }, { "gz", "reject" }, { "]e", "next" }, { "gA", "accept all" }, { "gZ", "reject all" }),
    named({ "ga", "accept" }, { "gz", "reject" }, { "]e", "next" }),
    named({ "ga", "accept" }, { "gz", "reject" }),
  }
end

return M
