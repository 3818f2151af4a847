-- The completion of `@…` in an instruction: files and definitions, as the server finds them.

local client = require("editd.client")
local protocol = require("editd.protocol")

local M = {}

local WAIT_MS = 5000 -- for a server that starts while <Tab> is pressed

---The `@…` at the end of what is typed, and where it begins; nil if there is none.
---@param typed string
---@return integer? first of its `@`
---@return string? prefix
function M.at_end(typed)
  local first, prefix = typed:match('()@("[^"]*)$')
  if not first then
    first, prefix = typed:match('()@([^%s@"]*)$')
  end
  if first and not typed:sub(1, first - 1):match("[%w_./]$") then
    return first, prefix
  end
end

---Names that fit, each with its `@`; none if the server does not answer in time. Waits for it.
---@param buf integer
---@param prefix string
---@return string[]
function M.matching(buf, prefix)
  local found
  client.with(buf, function(server)
    if not server then
      found = {}
      return
    end
    local params = { prefix = prefix, textDocument = { uri = client.uri(buf) } }
    client.request(server, buf, protocol.MENTIONS, params, function(err, answer)
      found = not err and answer.mentions or {}
    end)
  end)
  vim.wait(WAIT_MS, function()
    return found ~= nil
  end, 10)
  return vim.tbl_map(function(mention)
    return "@" .. mention.name
  end, found or {})
end

return M
