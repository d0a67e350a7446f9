"""A message as its receiver wants it: chat programs show a sentence, all others get the whole."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]


def shape_for(host: str, body: Body) -> Body:
    """By the host alone: Slack and Teams have addresses of their own for this."""
    if host == "hooks.slack.com" or host.endswith(".hooks.slack.com"):
        return {"text": _slack_text(sentence(body))}
    if host.endswith((".webhook.office.com", ".logic.azure.com", ".api.powerplatform.com")):
        return _teams_card(sentence(body))
    return body


def sentence(body: Body) -> str:
    study, judge = body["title"], body.get("judge", "")
    match body["event"]:
        case "report_ready":
            return f"{study}: a report is ready. {body['report']['sentence']}"
        case "alarm_rung":
            return f"{study}: {judge} has drifted. {body['report']['sentence']}"
        case "verdict_changed":
            return f"{study}: {judge}: {body['now']}; before: {body['before']}{_newcomers(body)}."
        case "certificate_expired":
            return (
                f"{study}: the card of {judge} holds no more: {body['reason']}. Measure it again."
            )
        case "run_failed":
            return f"{study}: the run of {judge} has stopped. {body['reason']}"
        case _:
            return f"{study}: a test of this webhook."


def _newcomers(body: Body) -> str:
    count = body["new_generators"]
    return f" ({count} new generator{'' if count == 1 else 's'})" if count else ""


def _slack_text(words: str) -> str:
    """Its three letters, so that no name becomes a link or calls a channel."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _teams_card(words: str) -> Body:
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        # Not "markdown": a text block shows links that a title may hold.
        "body": [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": words}]}],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [content]}
