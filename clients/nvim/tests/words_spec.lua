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

test("notes that begin alike say so once, and none is said twice", function()
  local function joined(...)
    return words.notes(vim.tbl_map(function(text)
      return { text = text }
    end, { ... }))
  end
  same("hesitated here: `a` or `b`; `c` or `d`", joined("hesitated here: `a` or `b`", "hesitated here: `c` or `d`"))
  same("plain; hesitated here: `a`; other: `b`", joined("plain", "hesitated here: `a`", "plain", "other: `b`"))
end)

test("a text is cut at a width, or left out where it would say nothing", function()
  same("short", words.cut("short", 5))
  same("twenty columns and …", words.cut("twenty columns and more", 20))
  same("二十列を超えるテキ…", words.cut("二十列を超えるテキスト", 20))
  same("", words.cut("twenty columns and more", 19))
end)

test("a part of a name stands for the name", function()
  same("record", words.identifier("x = record", 5, 10))
  same("record", words.identifier("x = record.y", 4, 7))
  same("größe", words.identifier("(größe)", 2, 5))
  same("x", words.identifier("a, x", 2, 4))
end)
