"""The plural of the name of a class, as the published files of the GenEval study have it."""

IRREGULAR = {
    "person": "people",
    "knife": "knives",
    "computer mouse": "computer mice",
    "scissors": "pairs of scissors",
    "skis": "skis",
    "sheep": "sheep",
}


def plural(name: str) -> str:
    if name in IRREGULAR:
        return IRREGULAR[name]
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
