"""What an instruction says: read from its words alone, before any buffer is looked at.

What the lines of a buffer have to do with it is ``prompts``' business. Standard library only.
"""
