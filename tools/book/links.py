"""Checks the links of the built book: `links.py FOLDER`.

Every link within the book leads to a file, and to an element of it if it has an anchor. Every link to this repository leads to a file of this working
tree. Other links are looked at for their form alone, because this check uses no network. No page loads anything from elsewhere.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = re.compile(r"https://github\.com/zkaccel/zkaccel(?:/(?:blob|tree)/main/(?P<path>.+))?")


class Page(HTMLParser):
    """The ids of a page, and its links with the elements that they stand in."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.inline = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(value for name, value in attributes.items() if name in ("id", "name") and value)
        self.links.extend((tag, attributes[name]) for name in ("href", "src", "data", "srcset") if attributes.get(name))
        if "http" in (attributes.get("style") or ""):
            self.links.append((tag, attributes["style"]))


def main():
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    errors, checked = [], 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        # The page for addresses that do not exist is served from anywhere.
        base = folder if name.name == "404.html" else path.parent
        for tag, link in page.links:
            checked += 1
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                repository = REPOSITORY.fullmatch(link.split("#")[0])
                if tag != "a":
                    errors.append(f"{name}: <{tag}> loads {link}, expected nothing from other hosts")
                elif parts.scheme not in ("https", "mailto") or (parts.scheme == "https" and "." not in parts.netloc):
                    errors.append(f"{name}: {link} is not an address")
                elif repository and repository["path"] and not (ROOT / unquote(repository["path"])).exists():
                    errors.append(f"{name}: {link} is no file of the repository")
                continue
            target = (base / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if name.name == "404.html" and parts.path == "/":
                continue
            if not target.is_file():
                errors.append(f"{name}: {link} leads to no file")
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in pages[target].ids:
                errors.append(f"{name}: {link} leads to no element of {target.name}")
    for style in sorted(folder.rglob("*.css")):
        errors.extend(f"{style.name}: loads {found}" for found in re.findall(r"(?:url\(|@import)\s*['\"]?(https?:[^'\")]+)", style.read_text(encoding="utf-8")))
    for error in errors:
        print(error)
    if errors:
        sys.exit(1)
    print(f"{checked} links on {len(pages)} pages")


if __name__ == "__main__":
    main()
