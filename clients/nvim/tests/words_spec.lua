local words = require("editd.words")

local function marked(old, new)
  local old_range, new_range = words.changed(old, new)
  if not old_range then
    return nil
  end
  return old:sub(old_range[1] + 1, old_range[2]), new:sub(new_range[1] + 1, new_range[2])
end

local function differ(old, new, old_part, new_part)
  local found_old, found_new = marked(old, new)
  same({ old_part, new_part }, { found_old, found_new }, old .. " → " .. new)
end

test("the words between the common ends are marked", function()
  differ("local qty = 1", "local quantity = 1", "", "uanti")
  differ("return a + b", "return a - b", "+", "-")
  differ("def f(a):", "def f(a: int):", "", ": int")
  differ("x = 1  # old", "x = 1", "  # old", "")
end)

test("no character is cut in two", function()
  differ("say('😀 hi there')", "say('😁 hi there')", "😀", "😁")
  differ("größe = 1", "grüße = 1", "ö", "ü")
  differ("aé = value", "aè = value", "é", "è")
end)

test("lines with little in common are left alone", function()
  same(nil, (words.changed("    return x", "    raise ValueError(y)")))
  same(nil, (words.changed("", "anything")))
  same(nil, (words.changed("abc", "xyz")))
end)
