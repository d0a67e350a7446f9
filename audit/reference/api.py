"""Every operation of the REST API, from its schema."""

from __future__ import annotations

from drf_spectacular.generators import SchemaGenerator

HEAD = """# The REST API

Under `/api/v1/`; programs send `Authorization: Token …` (a token is made on the account page). The whole schema
(OpenAPI) is at `/api/v1/schema/`.
"""


def markdown() -> str:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    lines = [HEAD, "| | | parameters |", "|---|---|---|"]
    for path, operations in sorted(schema["paths"].items()):
        for method, operation in operations.items():
            words = operation.get("description", "").strip().split("\n\n")[0].replace("\n", " ")
            names = ", ".join(
                f"`{parameter['name']}`"
                for parameter in operation.get("parameters", ())
                if parameter["in"] == "query"
            )
            words = words.replace("|", "\\|")
            lines.append(f"| `{method.upper()} {path}` | {words} | {names} |")
    return "\n".join([*lines, ""])
