"""Hypothesis without a clock and without dice: the same examples everywhere, however slow."""

from hypothesis import settings

settings.register_profile("stats", deadline=None, derandomize=True, database=None)
settings.load_profile("stats")
