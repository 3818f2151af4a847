-- What a running edit waits for, as the screen shows it.

local support = require("support")

local function editor(script, options)
  local daemon = support.scripted_daemon(script.name, script.fields)
  local child = support.child(vim.tbl_extend("force", { daemon = daemon, lines = 12 }, options or {}))
  local lines = {}
  for number = 1, 40 do
    lines[number] = number % 20 == 0 and "line " .. number or "LINE " .. number
  end
  child:edit(support.file("long.txt", table.concat(lines, "\n") .. "\n"))
  return child
end

---The dim text, once it begins with `part`.
local function text(child, part)
  return child:wait(([[(function()
    for row, line in ipairs(_G.screen()) do
      local found = line:match("◂ editd (.*)$")
      if found and vim.startswith(found, %q) then
        return row .. " " .. found
      end
    end
  end)()]]):format(part))
end

test("the model loads, reads and writes: a dim text says how far, and for how long", function()
  local child = editor({
    name = "progress",
    fields = { load_seconds = 2, load_steps = 4, prefill_units = 4, unit_seconds = 0.25 },
  }, { fresh = true })
  child:type("5G:Editd upper case<CR>")
  contains("5 loading 25 %", text(child, "loading 25"))
  contains("5 reading 50 %", text(child, "reading 50"))
  local writing = text(child, "writing")
  check(writing:match("^%d+ writing line %d+/40 · %d+ s$"), writing)
  if child:lua("return vim.fn.exists('+busy') == 1") then
    same(1, child:lua("return vim.bo.busy"))
  end
  child:wait("_G.num_finished == 1")
  same(nil, table.concat(child:lua("return _G.screen()")):match("◂ editd"))
  if child:lua("return vim.fn.exists('+busy') == 1") then
    same(0, child:lua("return vim.bo.busy"))
  end
  contains("2 hunks", child:notes())
end)

test("of named lines it is said how many are written, at the edge if the line is out of sight; a cancel ends it", function()
  local child = editor({ name = "progress-range", fields = { unit_seconds = 0.1 } })
  child:type("gg:11,40Editd upper case<CR>")
  local writing = text(child, "writing")
  check(writing:match("^10 writing %d+/30"), writing) -- the last line of the window
  child:type(":EditdCancel<CR>")
  child:wait("_G.num_finished == 1")
  same(nil, table.concat(child:lua("return _G.screen()")):match("◂ editd"))
  same(0, child:lua("return vim.fn.exists('+busy') == 1 and vim.bo.busy or 0"))
end)

test("Neovim's own progress messages, where there are any", function()
  local child = editor({ name = "progress-message", fields = { unit_seconds = 0.05 } })
  if child:lua("return vim.fn.has('nvim-0.12') == 0") then
    return
  end
  child:lua([[
    _G.progressed = {}
    vim.api.nvim_create_autocmd("Progress", { callback = function(event)
      table.insert(_G.progressed, { event.data.source or "", event.data.status })
    end })
  ]])
  child:rewrite("Editd upper case")
  local progressed = child:lua("return _G.progressed")
  same({ "editd", "running" }, progressed[1])
  same({ "editd", "success" }, progressed[#progressed])
  same("", child:lua("return vim.ui.progress_status()"))
end)
