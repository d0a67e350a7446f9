"""Sentences that are shown in other languages: marked here, translated by whoever shows them."""


def N_(text: str) -> str:
    """The text itself. Whoever collects an app's messages finds it by this name."""
    return text
