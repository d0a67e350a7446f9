"""Sending a written dataset to the Hugging Face hub."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from annotations.exports.files import ExportRefused
from jurybox_judging.errors import first_line

NAME = re.compile(r"\w[\w.-]{0,95}/\w[\w.-]{0,95}", re.ASCII)


def push(folder: Path, name: str, *, public: bool = False) -> str:
    """Its address. Private unless stated otherwise: pictures and people's answers leave the house."""
    check_name(name)
    hub = library()
    api = hub.HfApi()
    try:
        api.create_repo(name, repo_type="dataset", private=not public, exist_ok=True)
        api.upload_folder(
            repo_id=name,
            repo_type="dataset",
            folder_path=str(folder),
            commit_message="A study from Jurybox",
            # Files of an earlier and larger version would be read along.
            delete_patterns="data/*.parquet",
        )
    except Exception as error:
        # Whatever the library or the network raised: the folder is there, and is named.
        raise ExportRefused(
            f"{folder} is written, but the hub did not take it: {first_line(error).rstrip('.')[:300]}."
        ) from error
    return f"{api.endpoint}/datasets/{name}"


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise ExportRefused(f"“{name[:80]}” is no name on the hub; write OWNER/NAME.")


def library() -> Any:
    """The hub's library, with a token; a refusal says what is missing."""
    try:
        import huggingface_hub
    except ImportError:
        raise ExportRefused(
            "Sending to the hub needs huggingface_hub: pip install huggingface_hub."
        ) from None
    if not huggingface_hub.get_token():
        raise ExportRefused(
            "There is no token for the hub: log in with `hf auth login`, or set HF_TOKEN."
        )
    return huggingface_hub
