"""Does what an intent asks for, where no model is needed: intent and source code to edits, or a reason against them.

``computed`` answers a whole request, ``readings`` chooses its intent, ``transform`` says which file does which. Each other file is one
transformation, for all its languages, with texts before and after; or what several of them share: ``built_names``,
``candidates``, ``declarations``, ``inherited``, ``locations``, ``name_clashes``, ``old_values``, ``prints``, ``python_function``,
``receivers``, ``sides``, ``style_names``, ``used_imports``, ``uses``.
``composing`` joins the answers of several requests. What the words ask for is read in ``intent``.
"""
