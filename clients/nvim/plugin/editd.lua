-- Commands and <Plug> maps, nothing else: the plugin itself is loaded when one of them is used.
if vim.g.loaded_editd then
  return
end
vim.g.loaded_editd = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify_once("editd needs Neovim 0.10 or newer.", vim.log.levels.WARN)
  return
end

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, function(given)
    run(require("editd"), given)
  end, options)
end

---The lines that the user named, 0-based and end exclusive; nil if he named none.
local function range(given)
  return given.range > 0 and { given.line1 - 1, given.line2 } or nil
end

local function complete(...)
  return require("editd.presets").complete(...)
end

command("Editd", function(editd, given)
  editd.edit({ instruction = given.args, range = range(given) })
end, {
  nargs = "*",
  range = true,
  desc = "editd: rewrite the file or the lines as the instruction says",
  complete = complete,
})
command("EditdApply", function(editd, given)
  local lines = range(given)
  editd.apply({ range = lines, file = lines and given.args, register = not lines and given.args or nil })
end, {
  nargs = "?",
  range = true,
  complete = "file",
  desc = "editd: put a change that was copied (or these lines) into the file",
})
command("EditdRefine", function(editd, given)
  editd.refine(given.args)
end, { nargs = "*", complete = complete, desc = "editd: change the last answer as the instruction says" })
command("EditdRetry", function(editd, given)
  editd.retry(nil, given.args)
end, {
  nargs = "?",
  complete = function(lead)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, require("editd").ways())
  end,
  desc = "editd: do the same another way; you choose if there are several",
})
command("EditdAccept", function(editd, given)
  editd.accept({ all = given.bang, range = range(given) })
end, { bang = true, range = true, desc = "editd: accept the hunk under the cursor; with ! all" })
command("EditdReject", function(editd, given)
  editd.reject({ all = given.bang, range = range(given) })
end, { bang = true, range = true, desc = "editd: reject the hunk under the cursor; with ! all" })
command("EditdNext", function(editd, given)
  editd.next(given.count)
end, { count = 1, desc = "editd: go to the next hunk" })
command("EditdPrev", function(editd, given)
  editd.prev(given.count)
end, { count = 1, desc = "editd: go to the previous hunk" })
command("EditdWhere", function(editd, given)
  editd.where({ all = given.bang, range = range(given) })
end, { bang = true, range = true, desc = "editd: where the text of the hunk under the cursor came from" })
command("EditdCancel", function(editd, given)
  editd.cancel(nil, given.bang or nil)
end, { bang = true, desc = "editd: stop the edit that is being written; with ! keep whole hunks" })
command("EditdModel", function(editd, given)
  editd.model(given.args)
end, { nargs = "?", desc = "editd: choose the model, or name it" })
command("EditdStatus", function(editd)
  editd.status()
end, { desc = "editd: say how the server and its daemon are" })

local function map(modes, name, to, desc)
  vim.keymap.set(modes, ("<Plug>(editd-%s)"):format(name), to, { desc = "editd: " .. desc })
end

map({ "n", "x" }, "edit", ":Editd ", "type an instruction")
map("n", "apply", "<Cmd>EditdApply<CR>", "apply the clipboard")
map("x", "apply", ":EditdApply<CR>", "apply the selected lines to another file")
map("n", "accept", "<Cmd>EditdAccept<CR>", "accept the hunk")
map("x", "accept", ":EditdAccept<CR>", "accept the selected hunks")
map("n", "accept-all", "<Cmd>EditdAccept!<CR>", "accept all hunks")
map("n", "reject", "<Cmd>EditdReject<CR>", "reject the hunk")
map("x", "reject", ":EditdReject<CR>", "reject the selected hunks")
map("n", "reject-all", "<Cmd>EditdReject!<CR>", "reject all hunks")
map("n", "next", "<Cmd>execute 'EditdNext' v:count1<CR>", "next hunk")
map("n", "prev", "<Cmd>execute 'EditdPrev' v:count1<CR>", "previous hunk")
map("n", "where", "<Cmd>EditdWhere<CR>", "where it came from")
map("n", "cancel", "<Cmd>EditdCancel<CR>", "stop")
map("n", "retry", "<Cmd>EditdRetry<CR>", "another way")
map("n", "status", "<Cmd>EditdStatus<CR>", "status")

-- While the user types the instruction, the model reads the file: then Enter costs only the rest.
local warmed = false
local group = vim.api.nvim_create_augroup("editd_warmup", {})
vim.api.nvim_create_autocmd("CmdlineEnter", {
  group = group,
  pattern = ":",
  callback = function()
    warmed = false
  end,
})
vim.api.nvim_create_autocmd("CmdlineChanged", {
  group = group,
  pattern = ":",
  callback = function()
    if warmed then
      return
    end
    local line = vim.fn.getcmdline()
    if line:find("Editd ", 1, true) then
      local ok, parsed = pcall(vim.api.nvim_parse_cmd, line, {})
      if ok and parsed.cmd == "Editd" then
        warmed = true
        local lines = parsed.range or {}
        local first, last = lines[1], lines[2] or lines[1]
        require("editd").warmup({ range = first and { first - 1, last } or nil })
      end
    end
  end,
})
