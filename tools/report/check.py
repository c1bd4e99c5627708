"""Checks reports of `zkaccel bench --report` and `zkaccel selftest --report` in headless Chromium: `check.py AXE PAGE...`.

For each page: nothing in it refers to anything outside of it, and nothing is requested; no script fails; axe-core finds nothing; every
point of every figure stands where its axes put the value in the page's JSON, every row of a table has the median of its measurement, the parts of
every bar are those of its measurement, and every measurement is drawn; light and dark, 400 and 1400 pixels wide, the page does not scroll
sideways; the script is small; printing gives a PDF of several pages.

A copy of the page is opened, with a probe beside it, so that neither a driver nor a debugging port is needed.
"""

import html
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# What the page itself may hold.
MOST_SCRIPT = 2048
MOST_BYTES = 4 << 20
FRAME = """<!DOCTYPE html><meta charset="utf-8"><iframe src="page.html" width="WIDTH" height="900" style="border: 0"></iframe>
<script>
addEventListener('message', event => {
  const result = document.createElement('pre');
  result.id = 'probe';
  result.textContent = event.data;
  document.body.append(result);
});
</script>
"""


class References(html.parser.HTMLParser):
    """Attributes that make a browser load something."""

    LOADING = {"src", "href", "srcset", "poster", "action", "formaction", "xlink:href", "ping", "background", "data"}

    def __init__(self):
        super().__init__()
        self.bad, self.scripts, self.script = [], [], None

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in self.LOADING and not (value or "").startswith(("#", "data:")):
                self.bad.append(f"<{tag} {name}={value!r}>")
        if tag in ("link", "iframe", "object", "embed", "base", "img"):
            self.bad.append(f"<{tag}>")
        if tag == "script":
            self.script = dict(attributes).get("type", "script")

    def handle_data(self, data):
        if self.script == "script":
            self.scripts.append(data)

    def handle_endtag(self, tag):
        if tag == "script":
            self.script = None


def chromium(folder, *arguments):
    command = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile", *arguments,
    ]
    # The browser's own complaints about what a container lacks go to stderr.
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=180, check=False).stdout


def static(page, text):
    """What can be told without a browser."""
    parser = References()
    parser.feed(text)
    problems = [f"refers to something outside: {bad}" for bad in parser.bad]
    style = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
    problems += [f"the style loads something: {found}" for found in re.findall(r"@import|url\([^)]*\)", style)]
    size = sum(len(script.encode()) for script in parser.scripts)
    if not 0 < size <= MOST_SCRIPT:
        problems.append(f"{size} bytes of script, expected at most {MOST_SCRIPT}")
    if len(text.encode()) > MOST_BYTES:
        problems.append(f"{len(text.encode())} bytes, expected at most {MOST_BYTES}")
    if "default-src 'none'" not in text:
        problems.append("no content security policy")
    return problems


def probed(text, axe):
    """The page with the probe in it."""
    first = (
        "<script>window.probeErrors = [];"
        "addEventListener('error', e => probeErrors.push(String(e.message || e.target)), true);"
        "addEventListener('unhandledrejection', e => probeErrors.push(String(e.reason)));"
        "addEventListener('securitypolicyviolation', e => probeErrors.push('blocked: ' + e.blockedURI));</script>"
    )
    probe = (HERE / "probe.js").read_text()
    text = text.replace("<head>", "<head>" + first, 1)
    before, after = text.rsplit("</body>", 1)
    return f"{before}<script>{axe}</script><script>{probe}</script></body>{after}"


def look(page, text, axe, width, dark):
    """What a browser sees."""
    name = f"{page.name}, {'dark' if dark else 'light'}, {width} px"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "page.html").write_text(probed(text, axe))
        # In a frame, because windows have a least width.
        frame = pathlib.Path(folder, "frame.html")
        frame.write_text(FRAME.replace("WIDTH", str(width)))
        theme = ["--blink-settings=preferredColorScheme=0"] if dark else []
        log = pathlib.Path(folder, "net.json")
        arguments = [
            "--window-size=1500,1000", "--virtual-time-budget=30000", f"--log-net-log={log}", *theme, "--dump-dom",
            frame.as_uri(),
        ]
        dom = chromium(folder, *arguments).decode(errors="replace")
        requests = re.findall(r'"url":"((?:https?|wss?|ftp)://[^"]*)"', log.read_text(errors="replace")) if log.exists() else []
    match = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    if not match:
        return [f"{name}: the probe did not answer"]
    found = json.loads(html.unescape(match[1]))
    problems = [f"script error: {error}" for error in found["errors"]]
    problems += [f"requested {url}" for url in found["requests"]]
    # Chromium asks its maker for updates now and then; the page is a file and has no part in these.
    problems += [f"requested {url}" for url in requests if not re.search(r"//[^/]*\.?(google|googleapis|gvt1)\.com/", url)]
    problems += [f"scrolls sideways: {found['overflow']}"] if found["overflow"] else []
    problems += found["wrong"]
    problems += [f"axe: {finding}" for finding in found["axe"]]
    problems += [f"the figure {figure['id']} lacks a caption, a description or its table" for figure in found["figures"] if not figure["whole"]]
    if not found.get("axeRan"):
        problems.append("axe did not run")
    if (found["width"], found["dark"]) != (width, dark):
        problems.append(f"was opened {found['width']} px wide, dark: {found['dark']}")
    paper = [int(part) for part in re.findall(r"\d+", found["paper"])[:3]]
    if (sum(paper) < 384) != dark:
        problems.append(f"the background is {paper}")
    every, drawn = set(range(found["measurements"])), found["series"]
    problems += missing("time", every, drawn.get("median_seconds", []))
    # Approaches beside the best one have a section of their own, with times on the device and without rates.
    problems += missing("rate", set(found["best"]), drawn.get("rate", []))
    problems += missing("time on the device", every - set(found["best"]), drawn.get("device_median_seconds", []))
    problems += missing("roofline", set(found["multiply"]), drawn.get("products/count", []))
    problems += missing("row", every, found["rows"])
    problems += missing("bar", set(found["timed"]), found["bars"])
    shown = found["measurements"] + found["cases"]
    if not shown or found["tableRows"] < shown or bool(found["points"]) != bool(found["measurements"]):
        problems.append(f"{found['points']} points and {found['tableRows']} rows of {shown} measurements or cases")
    print(
        f"{name}: {found['points']} points, {found['published']} published, {len(found['rows'])} rows, {len(found['bars'])} parts of bars, "
        f"{len(found['figures'])} figures, {len(problems)} problems"
    )
    return [f"{name}: {problem}" for problem in problems]


def missing(what, expected, drawn):
    lacking = sorted(expected - set(drawn))
    return [f"the {what} of measurements {lacking} is not drawn"] if lacking else []


def printed(page):
    with tempfile.TemporaryDirectory() as folder:
        pdf = pathlib.Path(folder, "page.pdf")
        chromium(folder, f"--print-to-pdf={pdf}", "--no-pdf-header-footer", page.resolve().as_uri())
        data = pdf.read_bytes() if pdf.exists() else b""
    pages = len(re.findall(rb"/Type\s*/Page\b", data))
    if not data.startswith(b"%PDF-") or not 2 <= pages <= 200:
        return [f"{page.name}: printing gave {len(data)} bytes and {pages} pages"]
    print(f"{page.name}: {pages} pages on paper")
    return []


def main():
    if not CHROMIUM:
        sys.exit("chromium is missing, expected it in PATH")
    axe = pathlib.Path(sys.argv[1]).read_text()
    problems = []
    for page in map(pathlib.Path, sys.argv[2:]):
        text = page.read_text()
        problems += [f"{page.name}: {problem}" for problem in static(page, text)]
        for width in (400, 1400):
            for dark in (False, True):
                problems += look(page, text, axe, width, dark)
        problems += printed(page)
    for problem in problems:
        print(f"FAILED {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
