-- What is known of an edit's hunks, from what the server said. Knows no buffer and draws nothing.
--
-- Every message of the server counts lines in the document at the version that it names. So `start`
-- is right for `version`, and for nothing else: compare versions before drawing.

---@class editd.Hunks
---@field version? integer of the document, as of the last message
---@field walked integer line of the document up to which the model has come
---@field private _by_id table<integer, editd.Hunk>
---@field private _decided table<integer, editd.Hunk> what an undo of their accept brings back
---@field private _seq integer
local Hunks = {}
Hunks.__index = Hunks

local M = {}

---@return editd.Hunks
function M.new()
  return setmetatable({ walked = 0, _by_id = {}, _decided = {}, _seq = 0 }, Hunks)
end

---Learn from a delta.
---@param delta editd.EditDelta
---@return boolean taken false for one that was seen before
function Hunks:delta(delta)
  if delta.seq <= self._seq then
    return false
  end
  self._seq = delta.seq
  self.version = delta.version
  for _, op in ipairs(delta.ops) do
    if op.hunk then
      self:_take(op.hunk)
      self.walked = op.hunk.start + op.hunk.oldCount
    elseif op.keep then
      self.walked = self.walked + op.keep
    end
  end
  return true
end

---Learn how the edit ended: there are these hunks and no others.
---@param answer editd.EditAnswer
function Hunks:answer(answer)
  self.version = answer.version
  local told = {}
  for _, hunk in ipairs(answer.hunks) do
    told[hunk.id] = true
    self:_take(hunk)
  end
  for id in pairs(self._by_id) do
    if not told[id] then
      self._by_id[id] = nil
    end
  end
end

---Learn where the hunks stand after a change of the document; one whose accept was undone is there again.
---@param rebased editd.EditRebased
function Hunks:rebased(rebased)
  self.version = rebased.version
  for _, moved in ipairs(rebased.hunks) do
    local hunk = self._by_id[moved.id] or self._decided[moved.id]
    if moved.state == "accepted" or moved.state == "rejected" then
      self:remove({ moved.id })
    elseif hunk then
      self._by_id[moved.id], self._decided[moved.id] = hunk, nil
      hunk.start = moved.start
      hunk.stale = moved.state == "stale" or nil
      hunk.revision = hunk.revision + 1
    end
  end
end

---Take away hunks that are decided.
---@param ids integer[]
function Hunks:remove(ids)
  for _, id in ipairs(ids) do
    self._decided[id] = self._by_id[id] or self._decided[id]
    self._by_id[id] = nil
  end
end

---@param id integer
---@return editd.Hunk?
function Hunks:get(id)
  return self._by_id[id]
end

---All hunks in the order of the document.
---@return editd.Hunk[]
function Hunks:all()
  local list = vim.tbl_values(self._by_id)
  table.sort(list, function(a, b)
    return a.start == b.start and a.id < b.id or a.start < b.start
  end)
  return list
end

---The hunks that can still be decided on.
---@return editd.Hunk[]
function Hunks:open()
  return vim.tbl_filter(function(hunk)
    return not hunk.stale
  end, self:all())
end

---@private
---@param wire editd.WireHunk
function Hunks:_take(wire)
  local known = self._by_id[wire.id]
  self._by_id[wire.id] = {
    id = wire.id,
    start = wire.start,
    old_count = wire.oldCount,
    new_lines = vim.tbl_map(M.without_end, wire.newLines),
    done = wire.done ~= false,
    suspect = wire.suspect,
    stale = wire.stale or nil,
    origins = wire.origins,
    note = wire.note,
    note_spans = wire.noteSpans,
    revision = known and known.revision + 1 or 1,
  }
end

---@param line string
---@return string
function M.without_end(line)
  return (line:gsub("\r?\n$", ""):gsub("\r$", ""))
end

return M
