"""Every address that answers, read from the URL conf, and who may get in: one row each.

A route without a row fails the tests, so that nobody forgets to say who a new page is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, get_resolver

# From outside to inside; whoever may use a route may use those to the left.
ROLES = ("anonymous", "stranger", "crowd", "annotator", "researcher", "owner")

# name of the route -> who gets in at least: "everybody", "person" (anyone with an account),
# "member" (of this study), "annotator" (the one whose answer it is), "researcher", "owner", "nobody".
ROWS = {
    "home": "person",
    "login": "everybody",
    "single-sign-on": "nobody",  # without a provider
    "single-sign-on-back": "nobody",
    "logout": "everybody",
    "account": "person",
    "account-factor-begin": "person",
    "account-factor-on": "person",
    "account-factor-off": "person",
    "login-code": "everybody",
    "admin-login": "everybody",
    "account-password": "person",
    "account-token-make": "person",
    "account-token-end": "owner",  # whose token it is
    "account-log-out-everywhere": "person",
    "installation-events": "nobody",  # superusers
    "join": "everybody",
    "crowd": "everybody",
    "healthz": "everybody",
    "readyz": "everybody",
    "metrics": "nobody",
    "vega": "everybody",
    "image": "member",
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
    "finished": "member",
    "manage": "researcher",
    "manage-change": "owner",
    "retention": "owner",
    "study-delete": "owner",
    "deletion-again": "owner",
    "events": "owner",
    "people": "researcher",
    "invite": "owner",
    "invitation-close": "owner",
    "invitation-places": "owner",
    "person": "owner",
    "disagreements": "researcher",
    "disagreement": "researcher",
    "gold": "owner",
    "flags": "researcher",
    "flag-change": "owner",
    "imports": "researcher",
    "import-again": "researcher",
    "runs": "researcher",
    "run-start": "researcher",
    "run-judges": "researcher",
    "run-options": "researcher",
    "look": "researcher",
    "run-cancel": "researcher",
    "run-resume": "researcher",
    "run-failures": "researcher",
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
    "api-token-end": "owner",  # whose token it is
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
    "api-scores": "researcher",
    "api-imports": "researcher",
    "api-import": "researcher",
    "api-import-again": "researcher",
    "api-export-labels": "researcher",
    "api-export-scores": "researcher",
    "api-report": "researcher",
    "api-reports": "researcher",
}

INSIDE = {
    "everybody": set(ROLES),
    "person": set(ROLES) - {"anonymous"},
    "member": {"crowd", "annotator", "researcher", "owner"},
    "researcher": {"researcher", "owner"},
    "owner": {"owner"},
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
