-- Which projects the user trusts: new text may be drafted from their files only.

local config = require("editd.config")
local protocol = require("editd.protocol")

local M = {}

---@type table<integer, table<string, boolean>> what was sent to each server, by id, about which folders
local told = {}

---The folder of a buffer's project; nil if it belongs to none.
---@param buf integer
---@return string?
function M.root(buf)
  local named = vim.api.nvim_buf_get_name(buf) ~= "" -- else Neovim takes the current folder
  local root = named and vim.fs.root(buf, { ".git", ".hg", ".jj" })
  return root and vim.fs.normalize(root)
end

---Whether the user's option trusts a folder.
---@param root string
---@param trusted editd.Trust
---@return boolean
function M.covers(root, trusted)
  if type(trusted) == "function" then
    return trusted(root) == true
  elseif type(trusted) == "boolean" then
    return trusted
  end
  return vim.iter(trusted):any(function(folder)
    return vim.glob.to_lpeg(vim.fs.normalize(folder)):match(root) ~= nil
  end)
end

---Tell the server about the project of a buffer, unless it knows.
---@param client vim.lsp.Client
---@param buf integer
function M.tell(client, buf)
  local root = M.root(buf)
  if not root then
    return
  end
  local known = told[client.id] or {}
  told[client.id] = known
  local trusted = M.covers(root, config.options.trust_workspace)
  if (known[root] or false) == trusted then
    return
  end
  known[root] = trusted
  local params = { root = root, trusted = trusted }
  require("editd.client").notify(client, protocol.WORKSPACE, params)
end

return M
