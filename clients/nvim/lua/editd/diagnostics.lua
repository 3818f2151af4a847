-- The diagnostics of some lines, as context for the preset `fix`.

local M = {}

---@param buf integer
---@param lines? [integer, integer] 0-based, end exclusive; nil for all
---@return table[] entries of `context` in editd/edit
function M.context(buf, lines)
  local entries = {}
  for _, found in ipairs(vim.diagnostic.get(buf)) do
    local last = found.end_lnum or found.lnum
    if not lines or (found.lnum < lines[2] and last >= lines[1]) then
      local source = found.source and found.source .. ": " or ""
      entries[#entries + 1] = {
        kind = "diagnostic",
        text = source .. found.message,
        range = require("editd.edit").lsp_range({ found.lnum, last + 1 }),
      }
    end
  end
  return entries
end

return M
