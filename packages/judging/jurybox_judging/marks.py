"""Marks sentences that a page may show in another language. Here they stay English."""


def gettext_noop(words: str) -> str:
    return words
