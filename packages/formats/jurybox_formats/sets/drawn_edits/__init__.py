"""Edits of drawn scenes, with every fault known."""
