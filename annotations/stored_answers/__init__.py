"""Answers of questions about a study, computed once and read by everybody: see `audit/answers`."""
