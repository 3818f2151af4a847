---@meta
-- What the modules hand to each other, for LuaLS. Never loaded.

---@class editd.Options What `require("editd").setup` takes; all optional.
---@field cmd? string[] How the language server is started.
---@field init_options? table Settings of the server, nested as its file is.
---@field warmup? boolean Let the model read the file while the instruction is typed.
---@field messages? boolean Say in one line how an edit ended.
---@field keys? boolean Map ga, gA, gz, gZ, ]e and [e in a buffer while its hunks wait.
---@field keep_on_cancel? boolean `:EditdCancel` keeps the hunks that are whole.
---@field trust_workspace? editd.Trust Projects whose files the model's text may be drafted from.
---@field debounce? integer Milliseconds between two reports of what you type to the server.
---@field log_level? "debug"|"info"|"warn"|"error" How much the log file says; never texts.

---@alias editd.Trust boolean|string[]|fun(root: string): boolean

---@class editd.Config: editd.Options The same, with nothing left out.
---@field cmd string[]
---@field init_options table
---@field warmup boolean
---@field messages boolean
---@field keys boolean
---@field keep_on_cancel boolean
---@field trust_workspace editd.Trust
---@field debounce integer
---@field log_level "debug"|"info"|"warn"|"error"

---@class editd.Request What to edit and how.
---@field instruction? string Empty or absent: you are asked for one.
---@field preset? string A named instruction; `instruction` then comes on top.
---@field range? [integer, integer] Lines, 0-based, end exclusive; absent: the whole file.
---@field buf? integer The buffer; absent: the current one.
---@field sketch? string The change to merge.
---@field merge? "auto"|"text"|"model" Who puts the sketch in.
---@field way? editd.WayName Another way to the edit.

---@class editd.Sketch What to apply, and to what. All optional: the clipboard, to the current buffer.
---@field register? string Where the sketch is.
---@field range? [integer, integer] Lines of `buf` that are the sketch; it goes into another buffer.
---@field file? string With a range: the file that it is for; absent: you are asked.
---@field sketch? string The sketch itself.
---@field instruction? string What it is for; helps where a model has to decide.
---@field buf? integer The buffer; absent: the current one.

---@class editd.Choice Which hunks.
---@field all? boolean
---@field range? [integer, integer] Those that touch these lines, 0-based, end exclusive.
---@field buf? integer

---@class editd.WireHunk A hunk as the server tells it.
---@field id integer
---@field start integer
---@field oldCount integer
---@field newLines string[] Each with its line end.
---@field done boolean
---@field suspect? string
---@field stale? boolean
---@field origins? editd.WireOrigin[] In the order of the text, without gaps.
---@field note? string
---@field noteSpans? editd.NoteSpan[]

---@class editd.NoteSpan A note on a stretch of a hunk's new text, as the server tells it.
---@field line integer Index into newLines.
---@field start integer In the characters of the server's position encoding.
---@field end integer Exclusive.
---@field text string

---@alias editd.WayName "reading"|"words"|"resembling"|"model"|"again"|"whole"

---@class editd.Way What can be done instead of an edit.
---@field name editd.WayName
---@field title string
---@field needsModel boolean

---@class editd.WireOrigin Where a stretch of a hunk's new text came from, as the server tells it.
---@field line integer Index into newLines.
---@field start integer In the characters of the server's position encoding.
---@field end integer Exclusive.
---@field source editd.Source
---@field detail? string Of "project": "path:line", counted from 1.

---@alias editd.Source "buffer"|"substitution"|"output"|"sketch"|"project"|"draft-model"|"new"

---@class editd.Origin The same as `require("editd").origins` returns it.
---@field hunk integer Its hunk's id.
---@field line integer 0-based line of the hunk's new text.
---@field first integer First byte in that line, 0-based.
---@field last integer Exclusive.
---@field text string
---@field source editd.Source
---@field detail? string

---@class editd.Noted A note on a part of a hunk's new text.
---@field line integer 0-based line of the hunk's new text.
---@field first integer First byte in that line, 0-based.
---@field last integer Exclusive.
---@field text string

---@class editd.Hunk A hunk as the preview shows it.
---@field id integer
---@field start integer 0-based line of the document at the version that the server spoke of.
---@field old_count integer
---@field new_lines string[] Without line ends.
---@field done boolean Whether it is whole; else it may still grow.
---@field suspect? string Why a check doubts it.
---@field note? string Why it is worth a look.
---@field note_spans? editd.NoteSpan[] As the server tells them.
---@field noted? editd.Noted[] The same in bytes.
---@field stale? boolean The document has changed under it.
---@field origins? editd.WireOrigin[]
---@field revision integer Counts what was learnt of it.

---@class editd.EditDelta
---@field editToken string
---@field seq integer
---@field version? integer
---@field ops (editd.KeepOp|editd.HunkOp)[]

---@class editd.KeepOp
---@field keep integer

---@class editd.HunkOp
---@field hunk editd.WireHunk

---@class editd.RebasedHunk
---@field id integer
---@field start integer
---@field state "ok"|"stale"|"accepted"|"rejected"

---@class editd.EditRebased
---@field editToken string
---@field version integer
---@field hunks editd.RebasedHunk[]

---@class editd.EditAnswer
---@field status "ok"|"cancelled"|"failed"
---@field finish_reason "stop"|"length"|"cancelled"|"refused"|"error"
---@field version? integer
---@field hunks editd.WireHunk[]
---@field edits table[]
---@field text? string
---@field message? string
---@field code? string
---@field suspects string[]
---@field notices string[]
---@field summary string
---@field ways editd.Way[]
---@field model string
---@field stats table<string, any>

---@class editd.AcceptAnswer
---@field applied boolean
---@field version? integer
---@field hunkIds integer[]
---@field leftOut { id: integer, reason: string }[]
---@field edit? table A WorkspaceEdit.
---@field message? string

---@class editd.ServerStatus
---@field state "stopped"|"starting"|"loading"|"idle"|"busy"|"error"
---@field model string
---@field message string
---@field queue integer
---@field fraction? number
---@field schemaVersion integer
---@field daemon? table<string, any>

---@class editd.Preset
---@field name string
---@field title string
---@field instruction string
---@field refusal? string why the present model does not take it

---@class editd.Edit One edit of one buffer, from `:Editd` until its last hunk is decided.
---@field buf integer
---@field token string
---@field instruction string
---@field preset? string
---@field sketch? string
---@field merge? string
---@field way? editd.WayName
---@field ways editd.Way[] What can be done instead, once it is answered.
---@field based_on? string
---@field earlier? editd.Edit The proposal that this one is to improve, shown dimmed; nil once it is answered.
---@field range_mark? integer Extmark over the lines that may change.
---@field written_by? string As `written_by` of the answer's figures.
---@field hunks editd.Hunks
---@field running boolean Its answer is still to come.
---@field ok boolean It was answered, and can be refined.
---@field last_tick? integer `changedtick` of the last change since the edit was asked for.
---@field changes integer How many changes there were since.
