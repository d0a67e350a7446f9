"""Nobody imports this module: options of judges name it, and a test looks whether it was imported."""


def spring(text, choices):
    raise AssertionError("an option was run as code")
