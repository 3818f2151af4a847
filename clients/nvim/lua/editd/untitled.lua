-- Buffers without a name, as documents of the server. Neovim's own LSP client gives all of them one and the same URI,
-- so they are opened, followed and closed here. A buffer that gets a name stays such a document until its next edit.

local M = {}

local api = vim.api

---@type table<integer, { uri: string, notify: fun(method: string, params: table) }> by buffer
local documents = {}

---Whether a buffer is open as such a document.
---@param buf integer
---@return boolean
function M.is_open(buf)
  return documents[buf] ~= nil
end

---The URI under which the server knows a buffer.
---@param buf integer
---@return string
function M.uri(buf)
  return documents[buf] and documents[buf].uri or vim.uri_from_bufnr(buf)
end

---Open a buffer, unless it is, and send its changes from now on.
---@param buf integer
---@param notify fun(method: string, params: table) sends a notification to the server
function M.open(buf, notify)
  if documents[buf] then
    return
  end
  local document = { uri = ("untitled:nvim-%d-%d"):format(vim.fn.getpid(), buf), notify = notify }
  documents[buf] = document
  notify("textDocument/didOpen", {
    textDocument = { uri = document.uri, languageId = vim.bo[buf].filetype, version = 0, text = M._text(buf) },
  })
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, tick)
      if documents[buf] ~= document then
        return true -- detach
      end
      notify("textDocument/didChange", {
        textDocument = { uri = document.uri, version = tick },
        contentChanges = { { text = M._text(buf) } },
      })
    end,
    on_detach = function()
      if documents[buf] == document then
        M.close(buf)
      end
    end,
  })
end

---Close a buffer, if it is open; the server then forgets its edits.
---@param buf integer
function M.close(buf)
  local document = documents[buf]
  if document then
    documents[buf] = nil
    document.notify("textDocument/didClose", { textDocument = { uri = document.uri } })
  end
end

---Forget all documents, because the server has ended.
function M.forget_all()
  documents = {}
end

---@private
---@param buf integer
---@return string
function M._text(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n") .. "\n"
end

return M
