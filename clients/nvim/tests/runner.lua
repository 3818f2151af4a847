-- A tiny test runner: `test(name, function)` and a few assertions. Runs the spec files that the
-- environment names, says how each test fared, and writes the counts for run_tests.sh.

local root = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2))))
package.path = root .. "/tests/?.lua;" .. package.path

local passed, failed = 0, 0
local cleanups = {}

local function say(text)
  io.stdout:write(text .. "\n")
  io.stdout:flush()
end

---Call `run` at the end of this test, passed or failed; its argument says whether the test passed.
function _G.cleanup(run)
  table.insert(cleanups, run)
end

---One test: `run` raises an error if it fails.
function _G.test(name, run)
  local only = vim.env.EDITD_TEST_ONLY
  if only and not name:find(only, 1, true) then
    return
  end
  local started = vim.uv.hrtime()
  local ok, problem = xpcall(run, function(message)
    return debug.traceback(tostring(message), 2)
  end)
  while #cleanups > 0 do
    local clean_ok, clean_problem = pcall(table.remove(cleanups), ok)
    if ok and not clean_ok then
      ok, problem = false, "cleaning up: " .. tostring(clean_problem)
    end
  end
  local milliseconds = (vim.uv.hrtime() - started) / 1e6
  if ok then
    passed = passed + 1
    say(("ok    %s (%.0f ms)"):format(name, milliseconds))
  else
    failed = failed + 1
    say(("FAIL  %s (%.0f ms)\n%s"):format(name, milliseconds, problem))
  end
end

---Raise an error unless two values are the same, deeply.
function _G.same(expected, actual, what)
  if not vim.deep_equal(expected, actual) then
    error(
      ("%s: expected\n%s\nbut found\n%s"):format(
        what or "values differ",
        vim.inspect(expected),
        vim.inspect(actual)
      ),
      2
    )
  end
end

---Raise an error unless `value` is true.
function _G.check(value, what)
  if not value then
    error(what or "not true", 2)
  end
end

---Raise an error unless `text` holds `part`.
function _G.contains(part, text)
  if not tostring(text):find(part, 1, true) then
    error(("%q is not in\n%s"):format(part, tostring(text)), 2)
  end
end

for _, spec in ipairs(vim.split(vim.env.EDITD_SPECS, " ", { trimempty = true })) do
  say("-- " .. vim.fs.basename(spec))
  local ok, problem = xpcall(dofile, debug.traceback, spec)
  if not ok then
    failed = failed + 1
    say("FAIL  " .. vim.fs.basename(spec) .. "\n" .. problem)
  end
end
if package.loaded.support then
  package.loaded.support.finish()
end
vim.fn.writefile({ passed .. " " .. failed }, vim.env.EDITD_COUNTS, "a")
vim.cmd("cquit " .. (failed > 0 and 1 or 0))
