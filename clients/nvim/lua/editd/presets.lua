-- Named instructions, as the server knows them; and the completion of `:Editd`.
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
  local name, rest = text:match("^@([%w_-]+)%s*(.*)$")
  if name then
    return name, rest
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

---For `nvim_create_user_command`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if not line:match("Editd%s+%S*$") then
    return {} -- a preset's name is the first word
  end
  if not known then
    M.fetch(vim.api.nvim_get_current_buf())
    vim.wait(WAIT_MS, function()
      return known ~= nil
    end, 10)
  end
  return M.matching(lead, known or {})
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
