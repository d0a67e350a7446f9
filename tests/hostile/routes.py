"""Every address that answers, read from the URL conf, and who may get in: one row each.

A route without a row fails the tests, so that nobody forgets to say who a new page is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, get_resolver

# From outside to inside; whoever may use a route may use those to the left.
ROLES = ("anonymous", "stranger", "crowd", "annotator", "researcher", "owner", "superuser")

# name of the route -> who gets in at least: "everybody", "person" (anyone with an account),
# "member" (of this study), "annotator" (the one whose answer it is), "researcher", "owner", "holder"
# (the owner, whose own it is), "maker" (of studies), "superuser", "nobody". A superuser is an owner of every study.
ROWS = {
    "home": "person",
    "demo-make": "maker",
    "login": "everybody",
    "forgot": "everybody",
    "password-reset": "everybody",  # whoever has a link
    "reset-link": "owner",
    "account-email": "person",
    "first-start": "nobody",  # once there is an account
    "single-sign-on": "nobody",  # without a provider
    "single-sign-on-back": "nobody",
    "logout": "everybody",
    "account": "person",
    "tour": "person",
    "tour-close": "person",
    "account-factor-begin": "person",
    "account-factor-on": "person",
    "account-factor-off": "person",
    "login-code": "everybody",
    "admin-login": "everybody",
    "account-password": "person",
    "account-token-make": "person",
    "account-token-end": "holder",
    "account-log-out-everywhere": "person",
    "installation-events": "superuser",
    "join": "everybody",
    "crowd": "everybody",
    "healthz": "everybody",
    "readyz": "everybody",
    "metrics": "nobody",
    "vega": "everybody",
    "image": "member",
    "example-picture": "member",
    "study": "member",
    "form-edit": "owner",
    "label": "member",
    "label-undo": "member",
    "label-skip": "member",
    "label-flag": "member",
    "label-answers": "member",
    "label-answered": "annotator",
    "label-release": "member",
    "label-alive": "member",
    "practice": "member",
    "practice-round": "researcher",
    "practice-change": "owner",
    "finished": "member",
    "manage": "researcher",
    "manage-change": "owner",
    "retention": "owner",
    "study-delete": "owner",
    "deletion-again": "holder",
    "events": "owner",
    "people": "researcher",
    "invite": "owner",
    "people-add": "owner",
    "people-groups": "owner",
    "people-rules": "owner",
    "invitation-close": "owner",
    "invitation-places": "owner",
    "person": "owner",
    "disagreements": "researcher",
    "disagreement": "researcher",
    "gold": "owner",
    "known-answers": "researcher",
    "known-answer-choose": "owner",
    "known-answer-walk": "owner",
    "known-answer-share": "owner",
    "known-answer-import": "owner",
    "known-answer-csv": "researcher",
    "known-answer-edit": "owner",
    "prompts": "researcher",
    "prompt-make": "researcher",
    "prompt-write": "researcher",
    "generators": "researcher",
    "generator-import": "owner",
    "generator-csv": "researcher",
    "flags": "researcher",
    "flag-change": "owner",
    "imports": "researcher",
    "import-again": "researcher",
    "import-files": "researcher",
    "study-new": "maker",
    "study-new-files": "maker",
    "sample-table": "person",
    "delivery-piece": "holder",
    "runs": "researcher",
    "judge-dates": "researcher",
    "run-start": "researcher",
    "run-judges": "researcher",
    "run-options": "researcher",
    "weight-check-ask": "researcher",
    "weight-check": "researcher",
    "weight-check-file": "researcher",
    "recipes": "researcher",
    "recipe-file": "researcher",
    "recipe-remove": "researcher",
    "look": "researcher",
    "run-cancel": "researcher",
    "run-resume": "researcher",
    "run-failures": "researcher",
    "data": "researcher",
    "data-choose": "researcher",
    "data-usual": "owner",
    "data-image": "researcher",
    "export": "researcher",
    "export-file": "researcher",
    "drift": "researcher",
    "report-make": "researcher",
    "drift-chart": "researcher",
    "drift-csv": "researcher",
    "chart": "researcher",
    "table": "researcher",
    "side-by-side": "researcher",
    "slices": "researcher",
    "gallery": "researcher",
    "evidence": "researcher",
    "thumbnail": "researcher",
    "calibration": "researcher",
    "agreement": "researcher",
    "people-table": "researcher",
    "people-chart": "researcher",
    "papers": "researcher",
    "reports": "researcher",
    "report-changes": "researcher",
    "report-file": "researcher",
    "schema": "person",
    "api-token": "everybody",
    "api-tokens": "person",
    "api-token-end": "holder",
    "api-studies": "person",
    "api-study": "owner",
    "api-next": "member",
    "api-labels": "member",
    "api-labels-bulk": "member",
    "api-prompts": "researcher",
    "api-images": "researcher",
    "api-annotations": "researcher",
    "api-runs": "researcher",
    "api-run": "researcher",
    "api-run-cancel": "researcher",
    "api-run-resume": "researcher",
    "api-judges": "researcher",
    "api-judge-offers": "researcher",
    "api-judge-options": "researcher",
    "api-recipes": "researcher",
    "api-recipe": "researcher",
    "api-scores": "researcher",
    "api-imports": "researcher",
    "api-import": "researcher",
    "api-import-again": "researcher",
    "api-export": "researcher",
    "api-report": "researcher",
    "api-reports": "researcher",
}

INSIDE = {
    "everybody": set(ROLES),
    "person": set(ROLES) - {"anonymous"},
    "member": {"crowd", "annotator", "researcher", "owner", "superuser"},
    "researcher": {"researcher", "owner", "superuser"},
    "owner": {"owner", "superuser"},
    "holder": {"owner"},
    "superuser": {"superuser"},
    "maker": {"stranger", "owner", "superuser"},  # who own a study, whichever
    "annotator": {"annotator"},
    "nobody": set(),
}


def routes() -> Iterator[tuple[str, str]]:
    """(name, address with its gaps) of all routes but Django's own administration."""
    yield from _walk(get_resolver().url_patterns, "")


def _walk(patterns, before: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        here = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield pattern.name or here, here
        elif here != "admin/":
            yield from _walk(pattern.url_patterns, here)
