-- After an accept: if a language server finds a new problem in the accepted lines, offers to undo or to refine.

local M = {}

local SECONDS = 20 -- a slow server's findings come late; later ones are of something else
local UNDO, REFINE = "Undo", "Refine with this problem"
local group = vim.api.nvim_create_augroup("editd_problems", { clear = true })

---@param found vim.Diagnostic
local function words(found)
  return found.source and found.source .. ": " .. found.message or found.message
end

---@param buf integer
---@return vim.Diagnostic[]
local function problems(buf)
  return vim.diagnostic.get(buf, { severity = { min = vim.diagnostic.severity.WARN } })
end

---The lines that the new texts have once all edits are made, 0-based, end exclusive.
---@param edits table[] LSP's text edits
---@return [integer, integer][]
function M.changed(edits)
  local sorted, moved, lines = vim.deepcopy(edits), 0, {}
  table.sort(sorted, function(a, b)
    return a.range.start.line < b.range.start.line
  end)
  for _, edit in ipairs(sorted) do
    local count = select(2, edit.newText:gsub("\n", ""))
    local start = edit.range.start.line + moved
    moved = moved + count - (edit.range["end"].line - edit.range.start.line)
    lines[#lines + 1] = { start, start + math.max(count, 1) }
  end
  return lines
end

---The first problem in some lines that was not known before, wherever it stood.
---@param known vim.Diagnostic[]
---@param now vim.Diagnostic[]
---@param lines [integer, integer][]
---@return vim.Diagnostic?
function M.new(known, now, lines)
  local left = {}
  for _, found in ipairs(known) do
    left[words(found)] = (left[words(found)] or 0) + 1
  end
  for _, found in ipairs(now) do
    local count = left[words(found)] or 0
    left[words(found)] = count - 1
    for _, changed in ipairs(count > 0 and {} or lines) do
      if found.lnum < changed[2] and (found.end_lnum or found.lnum) >= changed[1] then
        return found
      end
    end
  end
end

---To be called before a change is made; the function that it returns, once it is made.
---@param buf integer
---@return fun(edits: table[])
function M.before(buf)
  local known = problems(buf)
  return function(edits)
    vim.api.nvim_clear_autocmds({ group = group })
    local lines, tick = M.changed(edits), vim.api.nvim_buf_get_changedtick(buf)
    local ends = vim.uv.now() + 1000 * SECONDS
    vim.api.nvim_create_autocmd("DiagnosticChanged", {
      group = group,
      buffer = buf,
      callback = function()
        -- Typing moves lines, and problems that come now may be of what is typed.
        if vim.uv.now() > ends or vim.api.nvim_buf_get_changedtick(buf) ~= tick then
          return true -- no more of them
        end
        local found = M.new(known, problems(buf), lines)
        if found then
          vim.schedule(function()
            M._offer(buf, tick, found)
          end)
        end
        return found ~= nil
      end,
    })
  end
end

---@private
---@param buf integer
---@param tick integer of the buffer after the accept
---@param found vim.Diagnostic
function M._offer(buf, tick, found)
  if not require("editd.edit")._may_ask(buf) then
    return -- the diagnostic itself is in sight
  end
  local prompt = "editd: the accepted lines have a new problem. " .. words(found)
  vim.ui.select({ UNDO, REFINE }, { prompt = prompt }, function(choice)
    if choice == REFINE then
      require("editd").edit({
        buf = buf,
        preset = "fix",
        instruction = "Fix this problem: " .. words(found),
        range = { found.lnum, (found.end_lnum or found.lnum) + 1 },
      })
    elseif choice == UNDO and vim.api.nvim_buf_get_changedtick(buf) == tick then
      vim.api.nvim_buf_call(buf, function()
        vim.cmd.undo()
      end)
    elseif choice == UNDO then
      require("editd.errors").tell("The text has changed since; nothing was undone.", "moved")
    end
  end)
end

return M
