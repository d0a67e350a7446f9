"""What the site has beside the files of this folder: the pages of the repository's root, and the
reference, which is read off the code each time. Links that hold in the repository hold in the site."""

from __future__ import annotations

import io
import json
import os
import posixpath
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A page of the repository -> its place in the site.
PAGES = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "AGENTS.md": "working-on-the-code.md",
}
REFERENCE = ("commands", "api", "report")
FROM = {place: page for page, place in PAGES.items()}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def slug(text: str, separator: str) -> str:
    """The anchors that GitHub gives to headings."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


def on_config(config):
    config.mdx_configs["toc"] = {"slugify": slug}
    # The menu leaves out the decisions, which a page of their own lists, and what programs read.
    decisions = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    left_out = [f"/decisions/{one.name}" for one in decisions] + [
        "/skills/",
        "/working-on-the-code.md",
    ]
    config.not_in_nav = config.not_in_nav or _patterns(left_out)
    # A page that nobody has given a place yet has one all the same.
    placed = set(re.findall(r"[\w/\-]+\.md", repr(config.nav)))
    others = sorted(page.name for page in (ROOT / "docs").glob("*.md") if page.name not in placed)
    if others:
        config.nav.append({"More": others})
    return config


def _patterns(lines):
    import pathspec

    return pathspec.PathSpec.from_lines("gitignore", lines)


def on_files(files, config):
    from mkdocs.structure.files import File

    for page, place in PAGES.items():
        files.append(File.generated(config, place, content=(ROOT / page).read_text()))
    for name, text in reference().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    place = page.file.src_uri
    source = FROM.get(place, f"docs/{place}")
    there = {file.src_uri for file in files}

    def moved(match: re.Match) -> str:
        mark, words, target = match.groups()
        if re.match(r"[a-z]+:|#|/", target):
            return match[0]
        path, _, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        found = PAGES.get(wanted, wanted.removeprefix("docs/"))
        if found not in there or (found == wanted and wanted not in PAGES.values()):
            # In the repository, but no part of the site.
            return words if not mark and (ROOT / wanted).exists() else match[0]
        relative = posixpath.relpath(found, posixpath.dirname(place) or ".")
        return f"{mark}[{words}]({relative}{'#' + anchor if anchor else ''})"

    return LINK.sub(moved, markdown)


def on_post_build(config):
    """`llms.txt` lists the pages with what the index says of each; `llms-full.txt` holds them whole."""
    rows = re.findall(
        r"^\| \[([^\]]+)\]\((\S+?\.md)\) \| (.+?) \|$", _text("docs/index.md"), re.MULTILINE
    )
    listed = [(title, posixpath.normpath(f"docs/{page}"), words) for title, page, words in rows]
    site = Path(config.site_dir)
    lines = [f"- [{title}]({_address(page)}): {words}" for title, page, words in listed]
    head = f"# Jurybox\n\n> {config.site_description}\n"
    (site / "llms.txt").write_text("\n".join([head, "## Pages", "", *lines, ""]))
    whole = [f"<!-- {page} -->\n\n{_text(page)}" for _, page, _ in listed]
    (site / "llms-full.txt").write_text("\n".join([head, *whole]))


def _address(page: str) -> str:
    place = PAGES.get(page, page.removeprefix("docs/")).removesuffix(".md")
    return (
        f"{place.removesuffix('README')}index.html" if place.endswith("README") else f"{place}.html"
    )


def _text(page: str) -> str:
    return (ROOT / page).read_text()


def reference() -> dict[str, str]:
    """Commands, API and the keys of a report that is made of the tutorial's tables."""
    with tempfile.TemporaryDirectory(prefix="jurybox-docs-") as folder:
        os.environ["JURYBOX_VAR"] = folder
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/docs.sqlite3"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
        sys.path.insert(0, str(ROOT))
        import django
        from django.core.management import call_command

        django.setup()
        from audit.reference import api, commands, report_keys

        out = Path(folder) / "report.json"
        tables = {part: ROOT / "docs" / "tutorial" / f"{part}.csv" for part in ("labels", "scores")}
        beside = [
            f"--{part}={ROOT / 'docs' / 'tutorial' / part}.csv" for part in ("images", "generators")
        ]
        call_command(
            "audit",
            str(tables["labels"]),
            str(tables["scores"]),
            *beside,
            "--resamples=200",
            f"--out={out}",
            stderr=io.StringIO(),
        )
        return {
            "commands": commands.markdown(),
            "api": api.markdown(),
            "report": report_keys.markdown(json.loads(out.read_text())),
        }
