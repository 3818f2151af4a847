-- Named instructions, as the server knows them; and the completion of instructions.
--
-- `:Editd @fix` and `:Editd @fix but keep the names` run a preset; so does a preset's bare name.

local client = require("editd.client")
local protocol = require("editd.protocol")

local M = {}

local WAIT_MS = 1500 -- for a server that starts while <Tab> is pressed

---@type editd.Preset[]?
local known

---Learn the presets, if the server can be asked now.
---@param buf integer
---@param callback? fun(presets: editd.Preset[])
function M.fetch(buf, callback)
  if known then
    return callback and callback(known)
  end
  client.with(buf, function(server)
    if server then
      client.request(server, buf, protocol.PRESETS, vim.empty_dict(), function(err, answer)
        known = not err and answer.presets or known
        if callback and known then
          callback(known)
        end
      end)
    end
  end)
end

---Forget them: another server may know others.
function M.forget()
  known = nil
end

---Split what follows `:Editd` into a preset and the rest. What looks like a preset's name and is
---none, is an instruction.
---@param text string
---@param presets editd.Preset[]?
---@return string? preset, string instruction
function M.parse(text, presets)
  text = vim.trim(text)
  local name, rest = text:match("^@([%w_-]+)(.*)$")
  if name and not rest:match("^[./\\:]") then -- that would be a file
    return name, vim.trim(rest)
  end
  for _, preset in ipairs(presets or {}) do
    if preset.name == text then
      return preset.name, ""
    end
  end
  return nil, text
end

---The known presets, without asking.
---@return editd.Preset[]?
function M.known()
  return known
end

---For `nvim_create_user_command`: presets for the first word, names of files and definitions after an `@`.
---@param lead string
---@param line string
---@param position? integer
---@return string[]
function M.complete(lead, line, position)
  local before = line:sub(1, position or #line)
  local typed = before:match("Editd%s+(.*)$") or before:match("EditdRefine%s+(.*)$") or ""
  local head = #typed - #lead -- what stands before the lead stays
  return vim.tbl_map(function(whole)
    return whole:sub(head + 1)
  end, M.completed(vim.api.nvim_get_current_buf(), typed, before:match("EditdRefine%s") ~= nil))
end

---What `typed`, the beginning of an instruction, may become.
---@param buf integer
---@param typed string
---@param is_refinement? boolean it has no preset
---@return string[]
function M.completed(buf, typed, is_refinement)
  local found = {}
  if not is_refinement and typed:match("^%S*$") then -- a preset's name is the first word
    vim.list_extend(found, M.matching(typed, M.wait(buf)))
  end
  local mentions = require("editd.mentions")
  local first, prefix = mentions.at_end(typed)
  if first and prefix then
    for _, name in ipairs(mentions.matching(buf, prefix)) do
      local whole = typed:sub(1, first - 1) .. name
      if is_refinement or not M.parse(whole) then -- else it would name a preset
        table.insert(found, whole)
      end
    end
  end
  return found
end

---The presets; waits for a server that has to be asked, and knows none if that does not answer in time.
---@param buf integer
---@return editd.Preset[]
function M.wait(buf)
  if not known then
    M.fetch(buf)
    vim.wait(WAIT_MS, function()
      return known ~= nil
    end, 10)
  end
  return known or {}
end

---Names that begin so; those that the present model refuses stand last: running such a preset says why, and which command
---leads to another model.
---@param lead string
---@param presets editd.Preset[]
---@return string[]
function M.matching(lead, presets)
  local start = lead:gsub("^@", "")
  local taken, refused = {}, {}
  for _, preset in ipairs(presets) do
    if vim.startswith(preset.name, start) then
      table.insert(preset.refusal and refused or taken, "@" .. preset.name)
    end
  end
  return vim.list_extend(taken, refused)
end

return M
