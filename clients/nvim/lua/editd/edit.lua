-- One edit: asked for, shown as it comes, and what becomes of its hunks. A buffer has at most one.
--
-- The buffer is not touched until a hunk is accepted, and then by one edit that the server made. All
-- that is decided here is what can be drawn: the server counts lines of the document that it knows,
-- so hunks that it told for an older version wait until it says where they stand now.

local client = require("editd.client")
local errors = require("editd.errors")
local events = require("editd.events")
local hunks = require("editd.hunks")
local keys = require("editd.keys")
local log = require("editd.log")
local preview = require("editd.preview")
local progress = require("editd.progress")
local protocol = require("editd.protocol")
local view = require("editd.view")
local where = require("editd.where")

local M = {}

local ns = vim.api.nvim_create_namespace("editd_range")

---@type table<integer, editd.Edit> by buffer: running, or with hunks to decide on
local edits = {}
---@type table<integer, editd.Edit> by buffer: the last that was answered, for refine and other ways
local answered = {}
---@type table<integer, editd.Edit> by buffer: the last whose hunks are all decided; an undo may bring some back
local decided = {}
local num_edits = 0

local BACK = "The last proposal is back."

---@param buf integer
---@return editd.Edit?
function M.of(buf)
  return edits[buf]
end

---The last edit of a buffer that has been answered.
---@param buf integer
---@return editd.Edit?
function M.last(buf)
  return answered[buf]
end

-- --- asking --------------------------------------------------------------------------------------

---Ask for an edit. An earlier one of the same buffer is dropped; one that this edit is to improve is shown dimmed until
---the answer is there.
---@param buf integer
---@param request editd.Request
---@param based_on? string token of the edit whose answer this one is to improve
function M.start(buf, request, based_on)
  local earlier = edits[buf]
  if earlier and (earlier.running or earlier.token ~= based_on) then
    M.drop(buf)
    earlier = nil
  elseif earlier then
    preview.dim(buf, earlier.hunks:all())
    keys.update(buf, 0)
  end
  if not earlier then
    client.take_name(buf)
  end
  num_edits = num_edits + 1
  ---@type editd.Edit
  local edit = {
    buf = buf,
    token = ("nvim-%d-%d-%d"):format(vim.fn.getpid(), vim.uv.hrtime(), num_edits),
    instruction = request.instruction or "",
    preset = request.preset,
    sketch = request.sketch,
    merge = request.merge,
    way = request.way,
    ways = {},
    based_on = based_on,
    earlier = earlier,
    hunks = hunks.new(),
    running = true,
    ok = false,
    changes = 0,
  }
  if request.range then
    edit.range_mark = M._mark_range(buf, request.range)
  end
  edits[buf] = edit
  decided[buf] = nil
  errors.close()
  M._follow(edit)
  progress.start(edit, request.range and request.range[1] or view.cursor_row(buf))
  events.fire("EditdStarted", edit)
  client.with(buf, function(server, problem)
    if edits[buf] ~= edit then
      return -- dropped while the server started
    end
    if not server then
      M._end(edit)
      errors.tell(problem or "The server could not be started.", "daemon-unreachable")
      return
    end
    edit.last_tick = nil -- the request tells the server of all changes so far
    client.request(server, buf, protocol.EDIT, M._params(edit), function(err, answer)
      M._on_answer(edit, err, answer)
    end)
  end)
end

---The params of `editd/edit`.
---@private
---@param edit editd.Edit
---@return table
function M._params(edit)
  local lines = M.range(edit)
  local params = {
    editToken = edit.token,
    textDocument = { uri = client.uri(edit.buf) },
    instruction = edit.instruction,
    preset = edit.preset,
    sketch = edit.sketch,
    merge = edit.merge,
    basedOn = edit.based_on,
    range = lines and M.lsp_range(lines),
    options = edit.way and { way = edit.way } or nil,
    workDoneToken = edit.token,
  }
  if edit.preset == "fix" then
    local context = require("editd.diagnostics").context(edit.buf, lines)
    params.context = #context > 0 and context or nil
  end
  return params
end

---@param lines [integer, integer]
---@return table range whole lines, which are the same in every position encoding
function M.lsp_range(lines)
  return {
    start = { line = lines[1], character = 0 },
    ["end"] = { line = lines[2], character = 0 },
  }
end

---The lines that an edit may change, where they are now; nil for all.
---@param edit editd.Edit
---@return [integer, integer]?
function M.range(edit)
  return edit.range_mark and M._marked_range(edit.buf, edit.range_mark)
end

---@private
---@return [integer, integer]?
function M._marked_range(buf, id)
  local mark = vim.api.nvim_buf_get_extmark_by_id(buf, ns, id, { details = true })
  if not mark[1] then
    return nil
  end
  local last = mark[3].end_col > 0 and mark[3].end_row + 1 or mark[3].end_row
  return { mark[1], math.max(last, mark[1] + 1) }
end

---@private
function M._mark_range(buf, lines)
  local count = vim.api.nvim_buf_line_count(buf)
  local last = math.min(lines[2], count)
  local text = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1] or ""
  return vim.api.nvim_buf_set_extmark(buf, ns, math.min(lines[1], count - 1), 0, {
    end_row = last < count and last or last - 1,
    end_col = last < count and 0 or #text,
    right_gravity = false,
    end_right_gravity = true,
  })
end

-- --- what the server says ------------------------------------------------------------------------

---@param delta editd.EditDelta
function M.on_delta(delta)
  local edit = M._by_token(delta.editToken)
  if edit and edit.running then
    if edit.hunks:delta(delta) then
      progress.on_delta(edit, delta)
      M._draw(edit)
      events.fire("EditdHunks", edit)
    else
      log.write("info", "delta %d was here already", delta.seq)
    end
  end
end

---Take a `$/progress` notification, whose token is that of an edit.
---@param params { token: string|integer, value: table }
function M.on_progress(params)
  local edit = M._by_token(params.token)
  if edit then
    progress.report(edit, params.value)
  end
end

---@param rebased editd.EditRebased
function M.on_rebased(rebased)
  local edit = M._by_token(rebased.editToken)
  if edit then
    edit.hunks:rebased(rebased)
    if decided[edit.buf] == edit and #edit.hunks:open() > 0 then
      edits[edit.buf], decided[edit.buf] = edit, nil -- an accept was undone
      events.fire("EditdHunks", edit)
    end
    if edits[edit.buf] == edit then
      M._draw(edit)
      M._end_if_decided(edit)
    end
  end
end

---@private
---@param edit editd.Edit
---@param err table?
---@param answer editd.EditAnswer?
function M._on_answer(edit, err, answer)
  edit.running = false
  progress.stop(edit, answer ~= nil and answer.status == "ok")
  if edits[edit.buf] ~= edit then
    return -- dropped: no longer of interest
  end
  if err or not answer then
    local message, code = errors.of_response(err or {})
    local is_back = M._bring_back(edit)
    if not is_back then
      M._end(edit)
    end
    events.fire("EditdFinished", edit, { status = "failed", code = code, message = message })
    errors.tell(is_back and ("%s %s"):format(message, BACK) or message, code, is_back)
    return
  end
  log.write(
    "info",
    "edit ended: %s, %d hunks, model %s",
    answer.finish_reason,
    #answer.hunks,
    answer.model
  )
  edit.hunks:answer(answer)
  edit.ways = answer.ways
  edit.ok = answer.status == "ok"
  edit.written_by = answer.stats.written_by
  if answer.status ~= "cancelled" then
    answered[edit.buf] = edit
  end
  local is_back = #answer.hunks == 0 and M._bring_back(edit)
  if is_back then
    edit.ok = false -- a follow-up builds on what is shown
  else
    M._forget_earlier(edit)
    M._draw(edit)
    M._end_if_decided(edit)
  end
  events.fire("EditdFinished", edit, {
    status = answer.status,
    code = answer.code,
    message = answer.message,
    stats = answer.stats,
    model = answer.model,
  })
  if answer.status == "failed" and #answer.ways > 1 and M._may_ask(edit.buf) then
    local message = answer.message or "The edit failed."
    require("editd").choose_way(edit, answer.ways, ("editd: %s%s"):format(message, is_back and " " .. BACK or ""))
  else
    require("editd.telling").ended(answer, edits[edit.buf] or edit, is_back and BACK or nil)
  end
end

---Show the proposal again that an edit was to improve, which failed, was cancelled or brought nothing.
---@private
---@param edit editd.Edit
---@return boolean done false if there is none
function M._bring_back(edit)
  local earlier = edit.earlier
  if not earlier or edits[edit.buf] ~= edit then
    return false
  end
  edit.earlier = nil
  preview.clear(edit.buf)
  edits[edit.buf] = earlier
  M._draw(earlier)
  M._end_if_decided(earlier)
  events.fire("EditdHunks", earlier)
  return true
end

---Let go of the proposal that an edit was to improve.
---@private
---@param edit editd.Edit
function M._forget_earlier(edit)
  if edit.earlier then
    M._ask(edit.earlier, protocol.REJECT, { hunkIds = "all" }, function() end, true)
    edit.earlier = nil
    preview.undim(edit.buf)
  end
end

---Whether the user looks at a buffer and types nothing, so that a question is no surprise.
---@private
---@param buf integer
function M._may_ask(buf)
  return vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode == "n"
end

---The server process has gone, and with it all that it knew of edits.
---@param message string
function M.on_server_gone(message)
  local had_any = next(edits) ~= nil
  for _, edit in pairs(edits) do
    M._end(edit)
  end
  answered, decided = {}, {}
  if had_any then
    errors.tell(message, "daemon-unreachable")
  end
end

---@private
---@param token string
---@return editd.Edit?
function M._by_token(token)
  for _, edit in pairs(edits) do
    if edit.token == token then
      return edit
    elseif edit.earlier and edit.earlier.token == token then
      return edit.earlier
    end
  end
  return vim.iter(vim.tbl_values(decided)):find(function(edit)
    return edit.token == token
  end)
end

---Whether what the server said last is about the buffer as it is now.
---@private
---@param edit editd.Edit
function M._is_current(edit)
  return edit.last_tick == nil or edit.hunks.version == edit.last_tick
end

---Draw what is known of an edit, and bring the keys of its buffer up to date.
---@private
---@param edit editd.Edit
function M._draw(edit)
  for _, id in ipairs(preview.ids(edit.buf)) do
    if not edit.hunks:get(id) then
      preview.forget(edit.buf, id)
    end
  end
  if M._is_current(edit) then -- else a message about the present version is on its way
    for _, hunk in ipairs(edit.hunks:all()) do
      if hunk.note_spans and not hunk.noted then
        local server = client.get(edit.buf)
        hunk.noted = where.noted(hunk, server and server.offset_encoding or "utf-16")
      end
      preview.show(edit.buf, hunk)
    end
    if edit.running then
      progress.draw(edit)
      preview.undim(edit.buf, edit.hunks.walked)
    end
  end
  keys.update(edit.buf, #edit.hunks:open())
end

-- --- deciding ------------------------------------------------------------------------------------

---Put hunks into the buffer, as one undo step.
---@param edit editd.Edit
---@param ids integer[]|"all"
---@param is_retry? boolean
function M.accept(edit, ids, is_retry)
  errors.close() -- it spoke of these hunks
  M._ask(edit, protocol.ACCEPT, { hunkIds = ids, apply = false }, function(answer)
    if answer.edit and edit.changes ~= answer.asked_at then
      if is_retry then
        errors.tell("The text keeps changing; nothing was accepted.", "moved")
      else
        M.accept(edit, ids, true)
      end
      return
    end
    if answer.edit then
      M._apply(edit, answer)
    end
    M._end_if_decided(edit)
    require("editd.telling").left_out(answer)
  end)
end

---Forget hunks.
---@param edit editd.Edit
---@param ids integer[]|"all"
function M.reject(edit, ids)
  errors.close()
  M._ask(edit, protocol.REJECT, { hunkIds = ids }, function(answer)
    if answer.message then
      errors.tell(answer.message, "nothing")
      return
    end
    edit.hunks:remove(answer.hunkIds)
    M._draw(edit)
    events.fire("EditdRejected", edit, { hunks = answer.hunkIds })
    M._end_if_decided(edit)
  end)
end

---Stop an edit that runs; what it has shown goes away.
---@param edit editd.Edit
---@param keep? boolean but for hunks that are whole
function M.cancel(edit, keep)
  M._ask(edit, protocol.CANCEL, { keep = keep or false }, function() end)
  if not client.get(edit.buf) then
    M._end(edit) -- the server has not even started
  end
end

---Forget the edit of a buffer, if there is one, and stop it if it runs.
---@param buf integer
function M.drop(buf)
  local edit = edits[buf]
  if not edit then
    return
  end
  local method = edit.running and protocol.CANCEL or protocol.REJECT
  local params = edit.running and { keep = false } or { hunkIds = "all" }
  M._ask(edit, method, params, function() end, true)
  M._forget_earlier(edit)
  M._end(edit)
end

---@private
---@param edit editd.Edit
---@param method string
---@param params table without the token
---@param then_ fun(answer: table)
---@param is_quiet? boolean
function M._ask(edit, method, params, then_, is_quiet)
  local server = client.get(edit.buf)
  if not server then
    return
  end
  params.editToken = edit.token
  local asked_at = edit.changes
  client.request(server, edit.buf, method, params, function(err, answer)
    local newest = edits[edit.buf]
    if is_quiet or not newest or (newest ~= edit and newest.earlier ~= edit) then
      return
    elseif err then
      errors.tell(errors.of_response(err))
    else
      answer.asked_at = asked_at
      then_(answer)
    end
  end)
end

---@private
---@param edit editd.Edit
---@param answer editd.AcceptAnswer
function M._apply(edit, answer)
  local changes = (answer.edit.documentChanges or {})[1]
  local text_edits = changes and changes.edits or vim.tbl_values(answer.edit.changes or {})[1] or {}
  local server = assert(client.get(edit.buf))
  if not vim.bo[edit.buf].modifiable then
    errors.tell("This buffer cannot be changed; :set modifiable allows it.", "buffer")
    return
  end
  -- First away with the preview: extmarks inside replaced text would end up anywhere.
  for _, id in ipairs(answer.hunkIds) do
    preview.forget(edit.buf, id)
  end
  edit.hunks:remove(answer.hunkIds)
  local watch = require("editd.problems").before(edit.buf)
  view.keep(edit.buf, function()
    M._break_undo(edit.buf)
    vim.lsp.util.apply_text_edits(text_edits, edit.buf, server.offset_encoding)
    M._break_undo(edit.buf)
  end)
  watch(text_edits)
  keys.update(edit.buf, #edit.hunks:open())
  events.fire("EditdAccepted", edit, { hunks = answer.hunkIds })
end

---What comes next is undone by itself, even in the middle of an insertion.
---@private
function M._break_undo(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd("let &g:undolevels = &g:undolevels")
  end)
end

-- --- the end -------------------------------------------------------------------------------------

---@private
---@param edit editd.Edit
function M._end_if_decided(edit)
  if not edit.running and #edit.hunks:open() == 0 then
    decided[edit.buf] = edits[edit.buf] == edit and edit or decided[edit.buf]
    M._end(edit)
  end
end

---@private
---@param edit editd.Edit
function M._end(edit)
  progress.stop(edit, false)
  if edits[edit.buf] == edit then
    edits[edit.buf] = nil
    keys.clear(edit.buf)
    preview.clear(edit.buf)
    events.fire("EditdCleared", edit)
  end
end

---Count the changes of an edit's buffer while it lives.
---@private
---@param edit editd.Edit
function M._follow(edit)
  local buf = edit.buf
  local function gone()
    answered[buf], decided[buf] = nil, nil
    if edits[buf] == edit then
      vim.schedule(function()
        M._end(edit)
      end)
    end
  end
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, tick)
      local newest = edits[buf] or decided[buf]
      if not newest or (newest ~= edit and newest.earlier ~= edit) then
        return true -- detach
      end
      edit.changes = edit.changes + 1
      edit.last_tick = tick
    end,
    on_reload = gone, -- the server forgets the edits of a document that is opened anew
    on_detach = gone,
  })
end

return M
