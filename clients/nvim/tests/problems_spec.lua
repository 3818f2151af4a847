-- A new problem in accepted lines, as another language server reports it, offers to undo and to refine.

local support = require("support")
local quick = support.scripted_daemon("problems", {})

---An accepted edit, and what a question that is asked then is answered with.
local function accepted(answer)
  local child = support.child({ daemon = quick })
  child:edit(support.file("a.txt", "one\nTWO\nthree\n"))
  child:lua(([[
    _G.asked = {}
    vim.ui.select = function(items, options, done)
      table.insert(_G.asked, options.prompt)
      done(%q)
    end
    _G.report = function(...)
      local found = {}
      for _, line in ipairs({ ... }) do
        table.insert(found, { lnum = line, col = 0, message = "bad", source = "lint", severity = 1 })
      end
      vim.diagnostic.set(vim.api.nvim_create_namespace("lint"), 0, found)
    end
    _G.report(1)
  ]]):format(answer))
  child:rewrite("Editd upper case")
  child:type("gA")
  child:wait("_G.open() == 0")
  same({ "ONE", "TWO", "THREE" }, child:lines())
  return child
end

test("a problem that was known, or is in another line, asks nothing", function()
  local child = accepted("Undo")
  child:lua("_G.report(1)")
  child:lua("_G.report(1, 1)")
  same({}, child:lua("return _G.asked"))
end)

test("a new problem in an accepted line is told, once, and undone", function()
  local child = accepted("Undo")
  child:lua("_G.report(1, 2)")
  child:wait("#_G.asked == 1")
  contains("lint: bad", child:lua("return _G.asked[1]"))
  child:wait("vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'one'")
  child:lua("_G.report(1, 0)")
  same(1, child:lua("return #_G.asked"))
end)

test("a new problem is refined in its lines", function()
  local child = accepted("Refine with this problem")
  child:lua([[
    require("editd").edit = function(request)
      _G.refined = request
    end
    _G.report(1, 2)
  ]])
  child:wait("_G.refined ~= nil")
  same({ 2, 3 }, child:lua("return _G.refined.range"))
  contains("lint: bad", child:lua("return _G.refined.instruction"))
end)
