"""The Python client of the REST API, written from its schema: `make client` writes jurybox/client.py."""

from __future__ import annotations

import keyword
import re
import textwrap
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from annotations.api.problems import IDEMPOTENCY_KEY

HEAD = '''"""Every operation of the REST API as a function with types: `Client(address=…, token=…).list_images("demo")`.

Written from the API's schema by `make client`; a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any, TypedDict

from jurybox.connection import Connection, part

'''
SIMPLE = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict[str, Any]",
    "null": "None",
}
# These two lists have all pages read, and a function needs neither.
OF_PAGES = {"cursor", "page_size"}


def python() -> str:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    components = schema["components"]["schemas"]
    kinds = [
        _typed_dict(name, one)
        for name, one in sorted(components.items())
        if one.get("type") == "object" and not name.endswith("Page") and name != "Problem"
    ]
    functions = [
        _function(method, path, operation, components)
        for path, operations in sorted(schema["paths"].items())
        for method, operation in operations.items()
        # Of a password: whoever has a client has a token.
        if operation.get("security") != [{}] and not path.endswith("/token/")
    ]
    lines = [HEAD.rstrip("\n"), *kinds, "\n\nclass Client(Connection):\n" + "\n".join(functions)]
    return "\n".join(lines)


def _typed_dict(name: str, schema: dict[str, Any]) -> str:
    names = schema.get("properties", {})
    words = _one_line(schema.get("description", ""))
    doc = textwrap.indent(textwrap.fill(f'"""{words}"""', 92), "    ") + "\n\n" if words else ""
    fields = [f"    {field}: {_type(one)}" for field, one in names.items()]
    return f"\n\nclass {name}(TypedDict, total=False):\n{doc}" + "\n".join(fields or ["    pass"])


def _function(method: str, path: str, operation: dict[str, Any], components: dict[str, Any]) -> str:
    parameters = operation.get("parameters", [])
    places = re.findall(r"{(\w+)}", path)
    query = [one for one in parameters if one["in"] == "query"]
    row = _row_of_list(operation, components)
    if row:
        query = [one for one in query if one["name"] not in OF_PAGES]
    body, is_form = _body(operation)
    given = ["self", *(f"{place}: {_place_type(place, parameters)}" for place in places)]
    if body:
        given.append(f"body: {body}")
    if is_form:
        given.append("file: tuple[str, bytes]")
    if query:
        given += ["*", *(f"{_name(one)}: {_type(one['schema'])} | None = None" for one in query)]
    address = re.sub(r"{(\w+)}", r"{part(\1)}", path.removeprefix("/api/v1/"))
    quoted = f'f"{address}"' if places else f'"{address}"'
    filters = ", ".join(f'"{one["name"]}": {_name(one)}' for one in query)
    result = f"Iterator[{row}]" if row else _result(operation)
    if not row and not _answer(operation) and "204" not in operation["responses"]:
        result, call = "HTTPResponse", f'self.open("GET", {quoted}, {{{filters}}})'
    elif row:
        call = f"self.pages({quoted}, {{{filters}}})"
    else:
        more = [f'"{method.upper()}"', quoted]
        more += [f"{{{filters}}}"] if query else []
        more += ["body=body"] if body else []
        more += ["file=file"] if is_form else []
        more += ["once=True"] if any(one["name"] == IDEMPOTENCY_KEY for one in parameters) else []
        call = f"self.call({', '.join(more)})"
    words = _one_line(operation.get("description", "").split("\n\n")[0])
    doc = textwrap.indent(textwrap.fill(f'"""{words}"""', 88), "        ") + "\n" if words else ""
    return (
        f"    def {operation['operationId']}({', '.join(given)}) -> {result}:\n{doc}"
        f"        found: {result} = {call}\n        return found\n"
    )


def _row_of_list(operation: dict[str, Any], components: dict[str, Any]) -> str:
    """What a list has in its pages; empty where the operation is no list."""
    schema = _answer(operation)
    for one in [schema, *_resolve(schema, components).get("oneOf", [])]:
        name = one.get("$ref", "").rpartition("/")[2]
        if name.endswith("Page"):
            return name.removesuffix("Page")
    return ""


def _answer(operation: dict[str, Any]) -> dict[str, Any]:
    good = next(one for code, one in operation["responses"].items() if code < "300")
    content = good.get("content", {})
    found: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    # An export may be a file of JSON: it is sent as it is, like every file.
    return {} if found.get("format") == "binary" else found


def _resolve(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = components[name] if name else schema
    return found


def _result(operation: dict[str, Any]) -> str:
    return _type(_answer(operation)) if _answer(operation) else "Any"


def _body(operation: dict[str, Any]) -> tuple[str, bool]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return _type(content["application/json"]["schema"]), False
    return ("dict[str, Any]", True) if "multipart/form-data" in content else ("", False)


def _place_type(place: str, parameters: list[dict[str, Any]]) -> str:
    one = next(one for one in parameters if one["name"] == place and one["in"] == "path")
    return _type(one["schema"])


def _name(parameter: dict[str, Any]) -> str:
    name: str = parameter["name"]
    return f"{name}_" if keyword.iskeyword(name) else name


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = str(schema["$ref"].rpartition("/")[2])
        return "str" if name.endswith("Enum") else name
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            # Where a filter may be empty, a function leaves it out.
            kinds = [_type(one) for one in schema[several] if one.get("maxLength") != 0]
            return " | ".join(dict.fromkeys(kinds))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(dict.fromkeys(_type({**schema, "type": one}) for one in kind))
    if kind == "array":
        return f"list[{_type(schema.get('items', {}))}]"
    return SIMPLE.get(str(kind), "Any")


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace('"', "“")
