-- editd for Neovim: rewrite code with a local language model. The public functions: doc/editd.txt.

local config = require("editd.config")
local errors = require("editd.errors")

local M = {}

---Change options. Calling it is not necessary.
---@param options? editd.Options
function M.setup(options)
  for _, problem in ipairs(config.setup(options)) do
    vim.notify(problem, vim.log.levels.WARN)
  end
  if vim.lsp.config then
    vim.lsp.config("editd", require("editd.client").settings())
  end
end

---Rewrite the buffer, or lines of it. Without an instruction you are asked for one.
---@param request? editd.Request
function M.edit(request)
  request = request or {}
  local buf = M._buffer(request.buf)
  if not M._is_editable(buf) then
    return
  end
  if vim.trim(request.instruction or "") == "" and not request.preset then
    M.warmup(request)
    M._ask_for_instruction("editd: ", function(text)
      M.edit(vim.tbl_extend("force", request, { instruction = text, buf = buf }))
    end)
    return
  end
  local preset, instruction = request.preset, request.instruction
  if not preset then
    local presets = require("editd.presets")
    preset, instruction = presets.parse(request.instruction, presets.known())
  end
  local wanted = { instruction = instruction, preset = preset, range = request.range }
  require("editd.edit").start(buf, wanted)
end

---Merge a change into the buffer: changed lines with markers for what stays, a diff, or search/replace
---blocks. By default it is taken from the clipboard. With a range it is those lines, merged into
---another buffer.
---@param request? editd.Sketch
function M.apply(request)
  request = request or {}
  local buf, apply = M._buffer(request.buf), require("editd.apply")
  local sketch, problem = request.sketch, nil
  if not sketch and request.range then
    sketch, problem = apply.of_lines(buf, request.range)
  elseif not sketch then
    sketch, problem = apply.of_register(request.register)
  end
  if not sketch then
    return errors.tell(problem or "There is nothing to apply.", "nothing")
  end
  local function start(target, why_not)
    if not target then
      errors.tell(why_not or "There is no such file.", "nothing")
    elseif M._is_editable(target) then
      require("editd.edit").start(target, { sketch = sketch, instruction = request.instruction })
    end
  end
  if not request.range then
    return start(buf)
  end
  apply.target(buf, request.file, function(other)
    return M._is_editable(other, true)
  end, start)
end

---Change the last answer as the instruction says. Its hunks give way to the new ones. Without an instruction you are asked
---for one.
---@param instruction? string
---@param buf? integer
function M.refine(instruction, buf)
  local last = M._last(buf)
  if last and vim.trim(instruction or "") == "" then
    M._ask_for_instruction("editd, what should be different? ", function(text)
      M.refine(text, last.buf)
    end)
  elseif last then
    local edit = require("editd.edit")
    local request = { instruction = instruction, range = edit.range(last) }
    edit.start(last.buf, request, last.ok and last.token or last.based_on)
  end
end

---Do the same another way: the one that is named, the only one that there is, or the one that you
---choose. The server says which there are, best first. What failed without leaving one is repeated.
---@param buf? integer
---@param name? editd.WayName
function M.retry(buf, name)
  local last = M._last(buf)
  if not last then
    return
  end
  if not last.ok and #last.ways == 0 then
    return M._take_way(last, last.way) -- it failed: the same once more
  end
  local ways = vim.tbl_filter(function(way)
    return not name or name == "" or way.name == name
  end, last.ways)
  if #ways == 0 then
    local there = vim.tbl_map(function(way)
      return way.name
    end, last.ways)
    local known = #there > 0 and ("; there is: %s"):format(table.concat(there, ", ")) or ""
    errors.tell(("This edit has no such other way%s."):format(known), "nothing")
  elseif #ways == 1 then
    M._take_way(last, ways[1].name)
  else
    M.choose_way(last, ways, "editd, another way: ")
  end
end

---Ask which of some ways to an edit to take, and take it.
---@param last editd.Edit
---@param ways editd.Way[]
---@param prompt string
function M.choose_way(last, ways, prompt)
  vim.ui.select(ways, {
    prompt = prompt,
    format_item = function(way)
      return way.title
    end,
  }, function(way)
    if way then
      M._take_way(last, way.name)
    end
  end)
end

---Names of the other ways to the last edit of the buffer, for completion.
---@return editd.WayName[]
function M.ways()
  local last = package.loaded["editd.edit"] and require("editd.edit").last(M._buffer())
  return vim.tbl_map(function(way)
    return way.name
  end, last and last.ways or {})
end

---Put hunks into the buffer: that under the cursor, those in a range, or all that no check doubts.
---@param choice? editd.Choice
function M.accept(choice)
  local edit, ids = M._chosen(choice or {})
  if edit and ids then
    require("editd.edit").accept(edit, ids)
  end
end

---Forget hunks: that under the cursor, those in a range, or all. All of a running edit stops it.
---@param choice? editd.Choice
function M.reject(choice)
  local edit, ids = M._chosen(choice or {})
  if not edit or not ids then
    return
  end
  if ids == "all" and edit.running then
    require("editd.edit").cancel(edit)
  else
    require("editd.edit").reject(edit, ids)
  end
end

---Where the new text of hunks came from: of that under the cursor, of those in a range, or of all.
---Empty where that is not known.
---@param choice? editd.Choice
---@return editd.Origin[]
function M.origins(choice)
  local found = {}
  for _, hunk in ipairs((M._hunks(choice or {}))) do
    vim.list_extend(found, require("editd.where").of(hunk, M._encoding(choice and choice.buf)))
  end
  return found
end

---Show where the new text of hunks came from, in a window.
---@param choice? editd.Choice
function M.where(choice)
  local hunks, edit = M._hunks(choice or {})
  local known = vim.tbl_filter(function(hunk)
    return hunk.origins ~= nil and #hunk.origins > 0
  end, hunks)
  if #known > 0 then
    require("editd.where").show(known, M._encoding(choice and choice.buf), edit.written_by == "words")
  elseif edit and edit.running then
    errors.tell("The origins are known when the edit has ended.", "nothing")
  elseif #hunks > 0 then
    errors.tell("The origins of this text are unknown.", "nothing")
  end
end

---Go to the next hunk; after the last comes the first.
---@param count? integer
function M.next(count)
  M._go(count or 1)
end

---Go to the previous hunk.
---@param count? integer
function M.prev(count)
  M._go(-(count or 1))
end

---Stop the edit that is being written; the model stops, too.
---@param buf? integer
---@param keep? boolean keep the hunks that are whole; nil: as the option `keep_on_cancel` says
function M.cancel(buf, keep)
  local edit = require("editd.edit").of(M._buffer(buf))
  if edit and edit.running then
    if keep == nil then
      keep = config.options.keep_on_cancel
    end
    require("editd.edit").cancel(edit, keep)
  else
    errors.tell("No edit is running." .. (edit and " :EditdReject! rejects the hunks." or ""), "nothing")
  end
end

---Use another model from now on: the one named, or one that you choose among those on this machine.
---@param name? string
function M.model(name)
  local model = require("editd.model")
  name = vim.trim(name or "")
  if name == "" then
    model.choose()
  else
    model.use(name)
  end
end

---Say how the server and its daemon are.
function M.status()
  local buf = vim.api.nvim_get_current_buf()
  local client = require("editd.client")
  client.with(buf, function(server, problem)
    if not server then
      errors.tell(problem or "The server could not be started.", "daemon-unreachable")
      return
    end
    local protocol = require("editd.protocol")
    client.request(server, buf, protocol.STATUS, vim.empty_dict(), function(err, status)
      if err then
        errors.tell(errors.of_response(err))
      else
        errors.show(require("editd.status").report(status))
      end
    end)
  end)
end

---Let the model read the buffer, so that an edit of it starts sooner.
---@param request? { buf?: integer, range?: [integer, integer] }
function M.warmup(request)
  local buf = M._buffer(request and request.buf)
  if not config.options.warmup or not M._is_editable(buf, true) then
    return
  end
  require("editd.presets").fetch(buf)
  local client = require("editd.client")
  client.with(buf, function(server)
    if server then
      local range = request and request.range
      client.request(server, buf, require("editd.protocol").WARMUP, {
        textDocument = { uri = client.uri(buf) },
        range = range and require("editd.edit").lsp_range(range),
      }, function() end)
    end
  end)
end

---A piece of a status line; empty when there is nothing to say.
---@param buf? integer
---@return string
function M.statusline(buf)
  -- Costs nothing before the first edit.
  return package.loaded["editd.edit"] and require("editd.status").line(buf) or ""
end

-- --- helpers -------------------------------------------------------------------------------------

---Ask for an instruction; nothing happens if none is typed.
---@private
---@param prompt string
---@param done fun(instruction: string)
function M._ask_for_instruction(prompt, done)
  errors.close()
  local completion = "customlist,v:lua.require'editd'._complete_input"
  vim.ui.input({ prompt = prompt, completion = completion }, function(text)
    if text and vim.trim(text) ~= "" then
      done(text)
    end
  end)
end

---Ask for the same edit by another way.
---@private
---@param last editd.Edit
---@param name? editd.WayName
function M._take_way(last, name)
  local edit = require("editd.edit")
  edit.start(last.buf, {
    instruction = last.instruction,
    preset = last.preset,
    range = edit.range(last),
    sketch = last.sketch,
    merge = last.merge,
    way = name,
  }, last.based_on)
end

---@private
---@param buf? integer
---@return integer
function M._buffer(buf)
  return (buf and buf ~= 0) and buf or vim.api.nvim_get_current_buf()
end

---@private
---@param buf integer
---@param is_quiet? boolean
---@return boolean
function M._is_editable(buf, is_quiet)
  local problem
  if vim.bo[buf].buftype ~= "" then
    problem = "This is no text buffer: copy its lines into a new one (:enew) to edit them."
  elseif not vim.bo[buf].modifiable then
    problem = "This buffer cannot be changed; :set modifiable allows it."
  end
  if problem and not is_quiet then
    errors.tell(problem, "buffer")
  end
  return problem == nil
end

---@private
---@return editd.Edit?
function M._edit(buf)
  local edit = require("editd.edit").of(M._buffer(buf))
  if not edit then
    errors.tell("There are no hunks in this buffer; start with :Editd.", "nothing")
  end
  return edit
end

---@private
---@return editd.Edit?
function M._last(buf)
  local last = require("editd.edit").last(M._buffer(buf))
  if not last then
    errors.tell("No edit of this buffer has ended yet; start with :Editd.", "nothing")
  end
  return last
end

---For the prompt of an instruction, whose completion replaces all that is typed.
---@private
---@param typed string
---@return string[]
function M._complete_input(typed)
  return require("editd.presets").completed(M._buffer(), typed)
end

---The hunks that are chosen, and their edit: while a follow-up runs it may be the last one, about whose hunks the server
---says that they are being refined.
---@private
---@param choice editd.Choice
---@return editd.Edit?, (integer[]|"all")?
function M._chosen(choice)
  local edit = M._edit(choice.buf)
  if not edit then
    return nil
  end
  local preview = require("editd.preview")
  if choice.all then
    if edit.earlier and #edit.hunks:all() == 0 then -- nothing but what is being refined is in sight
      return edit.earlier, preview.dimmed(edit.buf)
    end
    return edit, "all"
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local lines = choice.range or { row, row + 1 }
  local ids = preview.touching(edit.buf, lines, true)
  if #ids == 0 and edit.earlier then
    ids, edit = preview.dimmed(edit.buf, lines), edit.earlier
  end
  if #ids == 0 then
    local where = choice.range and "in these lines" or "under the cursor"
    errors.tell(("No hunk is %s; :EditdNext goes to one, and ! is for all."):format(where), "nothing")
    return nil
  end
  return edit, ids
end

---@private
---@param choice editd.Choice
---@return editd.Hunk[], editd.Edit?
function M._hunks(choice)
  local edit, ids = M._chosen(choice)
  if not edit or not ids then
    return {}, nil
  end
  if ids == "all" then
    return edit.hunks:all(), edit
  end
  return vim.tbl_map(function(id)
    return edit.hunks:get(id)
  end, ids), edit
end

---@private
---@param buf? integer
---@return string
function M._encoding(buf)
  local server = require("editd.client").get(M._buffer(buf))
  return server and server.offset_encoding or "utf-16"
end

---@private
---@param count integer negative: backwards
function M._go(count)
  local edit = M._edit()
  if not edit then
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local target = require("editd.preview").step(edit.buf, row, count)
  if not target then
    errors.tell("There is no hunk yet.", "nothing")
    return
  end
  vim.cmd("normal! m'") -- CTRL-O goes back
  vim.api.nvim_win_set_cursor(0, { target + 1, 0 })
  vim.cmd("normal! ^zv")
  require("editd.view").reveal(target, require("editd.preview").last_row(edit.buf, target))
end

return M
