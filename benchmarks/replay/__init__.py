"""Known edits decoded again with a scripted target: how many rounds would a drafter have needed?"""
