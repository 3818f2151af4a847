"""The team's own linters as checks: findings that an edit brings make their hunk suspect.

``session`` tells the story: it runs the command that the user's settings name for a language on the text before and after
an edit, and marks the hunks. ``mirror`` lays out the text where the command finds the project's configuration and can
write to no file, ``running`` bounds time and output, ``findings`` reads what linters print, ``comparing`` says which
findings are new and whose, and ``known`` has ready-made commands. A check that fails is off for the session, with a
sentence; no edit fails for it.
"""
