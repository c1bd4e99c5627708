"""The book's preprocessor: formulas become MathML, and links that leave docs/ become links to the repository.

mdBook calls it: `preprocess.py supports RENDERER`, and then without arguments with the book as JSON on standard input. A formula stands between dollar
signs, `$x$` in a line or `$$x$$` alone in one, as GitHub shows it too.
"""

import json
import os
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert

DOCS = Path(__file__).resolve().parents[2] / "docs"
REPOSITORY = "https://github.com/zkaccel/zkaccel"
# Code is left alone: fenced blocks, then spans.
CODE = re.compile(r"(^ *```.*?^ *```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+)\$", re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")


def mathml(match):
    """A formula as MathML, in which no character means anything to Markdown."""
    block = match["block"]
    text = convert((block or match["inline"]).strip(), display="block" if block else "inline")
    return re.sub(r">([^<]+)<", lambda inner: ">" + re.sub(r"[*_\[\]`\\~|]", lambda c: f"&#{ord(c[0])};", inner[1]) + "<", text)


def link(page):
    """Replaces a link on a page of the book."""

    def replace(match):
        target, anchor = match["target"], match["anchor"] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = Path(os.path.normpath(page.parent / target))
        if not path.exists():
            raise SystemExit(f"{page}: the link to {target} leads to {path}, which does not exist")
        if DOCS not in path.parents:
            kind = "tree" if path.is_dir() else "blob"
            return f"]({REPOSITORY}/{kind}/main/{path.relative_to(DOCS.parent)}{anchor})"
        if path.is_dir():
            raise SystemExit(f"{page}: {target} is a folder, expected a page")
        # mdBook makes index.html of README.md.
        return f"]({re.sub('README.md$', 'index.md', target)}{anchor})"

    return replace


def process(page, text):
    """The text of a page as mdBook gets it."""
    parts = CODE.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = LINK.sub(link(page), FORMULA.sub(mathml, parts[i]))
    return "".join(parts)


def walk(items):
    """All chapters below a list of items, changed in place."""
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            source = chapter["source_path"]
            if source:
                chapter["content"] = process(DOCS / source, chapter["content"])
            walk(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    _, book = json.load(sys.stdin)
    walk(book["items"])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
