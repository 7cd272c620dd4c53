#!/usr/bin/env python3
"""The site (`./dev site`): pages of doc/ as HTML in one folder, without anything from outside.

usage: build.py BUILD-FOLDER OUT

The pages and their order are in `contents` beside this file. cmark-gfm (Debian package) reads
Markdown; what it lacks is done here: titles, anchors as GitHub makes them, links between pages, a
search. Interactive pages and timelines that the pages show are made by the programs as the site is.
"""
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys

SITE = os.path.dirname(os.path.abspath(__file__))
DOC = os.path.dirname(SITE)
ROOT = os.path.dirname(DOC)


def fail(why):
    sys.exit(f"site: {why}")


def run(build, command):
    """What a command prints, with the programs of the build first in PATH."""
    environment = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"], LC_ALL="C")
    made = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True)
    if made.returncode:
        fail(f"`{command}` failed:\n{made.stderr}")
    return made.stdout


class Page:
    """`path`: of the source, from doc/; `name`: of the page; `text`: Markdown."""

    def __init__(self, path, text, title=None):
        self.path, self.text = path, text
        first = re.search(r"^# (.+)$", text, re.M)
        self.title = title or (re.sub(r"[`*]", "", first[1]) if first else path)
        plain = os.path.normpath(path)
        while plain.startswith("../"):
            plain = plain[3:]
        folder, base = os.path.split(plain)
        base = base[:-3].lower()
        name = "index" if plain == "README.md" else folder if base == "readme" else base
        self.name = name + ".html"


def contents(build):
    """[(section, [Page])] in order."""
    sections, seen = [], set()
    for line in open(os.path.join(SITE, "contents")).read().splitlines()[1:]:
        if line.startswith("# "):
            sections.append((line[2:], []))
        elif line.startswith("$ "):
            command, _, rest = line[2:].partition(" : ")
            path, _, title = rest.partition(" ")
            sections[-1][1].append(Page(path, run(build, command), title))
        elif line:
            pattern, _, title = line.partition(" ")
            for file in sorted(glob.glob(os.path.join(DOC, pattern))):
                path = os.path.relpath(file, DOC)
                if path not in seen:
                    seen.add(path)
                    sections[-1][1].append(Page(path, open(file).read(), title or None))
    return sections


def anchors(text):
    """Headings get the anchors that GitHub gives them."""
    used = {}

    def heading(match):
        level, inside = match[1], match[2]
        plain = html.unescape(re.sub(r"<[^>]+>", "", inside)).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        used[anchor] = used.get(anchor, 0) + 1
        if used[anchor] > 1:
            anchor += f"-{used[anchor] - 1}"
        return f'<h{level} id="{anchor}"><a class="anchor" href="#{anchor}">{inside}</a></h{level}>'

    return re.sub(r"<h([1-6])>(.*?)</h\1>", heading, text)


def links(text, page, by_path, unknown):
    """Links to pages of the site go there; others into the sources stay names."""

    def link(match):
        target, _, anchor = match[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        whole = os.path.join(DOC, os.path.dirname(page.path), html.unescape(target))
        path = os.path.relpath(whole, DOC)  # also of links of the README, which stands above
        if os.path.isdir(whole) and os.path.normpath(os.path.join(path, "README.md")) in by_path:
            path = os.path.normpath(os.path.join(path, "README.md"))
        if path in by_path:
            return f'{match[1]}"{by_path[path].name}{"#" + anchor if anchor else ""}"'
        if path.endswith((".svg", ".png")) and match[1].startswith("src"):
            return f'{match[1]}"{os.path.basename(path)}"'
        if not os.path.exists(os.path.join(DOC, path)):
            unknown.append(f"{page.path}: {target}")
        return 'data-source="' + html.escape(os.path.relpath(os.path.join(DOC, path), ROOT)) + '"'

    def named(match):
        other = next((p for p in by_path.values() if p.name == match[1]), None)
        return f'<a href="{match[1]}">{html.escape(other.title)}</a>' if other else match[0]

    text = re.sub(r'((?:href|src|srcset)=)"([^"]*)"', link, text)
    return re.sub(r'<a href="([^"#]+\.html)">[\w./]+(?:\.md|/)</a>', named, text)


def pictures(page, build, out):
    """`<!-- picture NAME: COMMAND -->`: the programs draw it anew; other pictures are copied."""
    for name, command in re.findall(r"<!-- picture (\S+): (.*?) -->", page.text):
        with open(os.path.join(out, name), "w") as file:
            file.write(run(build, command))
    for target in re.findall(r"(?:!\[[^\]]*\]\(|src(?:set)?=\")([^)\"]+\.(?:svg|png))[)\"]", page.text):
        file = os.path.join(DOC, os.path.dirname(page.path), target)
        to = os.path.join(out, os.path.basename(target))
        if not os.path.exists(to):
            shutil.copy(file, to)


def rendered(page, by_path, unknown):
    text = re.sub(r"^<!-- .*? -->\n", "", page.text, flags=re.M)
    made = subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
        input=text, capture_output=True, text=True, check=True)
    whole = re.sub(r"(?<=<td>)[^<\n]+ %(?=</td>)", lambda m: m[0].replace(" %", "&nbsp;%"), made.stdout)
    focusable = whole.replace("<pre>", '<pre tabindex="0">')  # what scrolls is reached by keyboard
    return links(anchors(focusable), page, by_path, unknown)


def navigation(sections, current):
    """Sections; one whose name begins with `>` is folded, but on its own pages."""
    items = []
    for section, pages in sections:
        folded = section.startswith("> ")
        head = f"<h2>{html.escape(section.removeprefix('> '))}</h2>"
        if folded:
            head = f"<details{' open' if current in pages else ''}><summary>{head}</summary>"
        items.append(head + "<ul>")
        for page in pages:
            mark = ' aria-current="page"' if page is current else ""
            items.append(f'<li><a href="{page.name}"{mark}>{html.escape(page.title)}</a></li>')
        items.append("</ul></details>" if folded else "</ul>")
    return "".join(items)


def index_of(pages):
    """What the search looks through: [page, anchor, heading, words of the section]."""
    entries = []
    for page, body in pages:
        parts = re.split(r'<h[1-6] id="([^"]*)">(.*?)</h[1-6]>', body)
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            plain = html.unescape(re.sub(r"<[^>]+>", " ", text))
            title = html.unescape(re.sub(r"<[^>]+>", "", heading))
            entries.append([page.name, anchor, title, page.title, " ".join(plain.split())[:4000]])
    return entries


def lost(pages):
    """Links to anchors that no page has."""
    there = {page.name: set(re.findall(r' id="([^"]*)"', body)) for page, body in pages}
    for page, body in pages:
        for name, anchor in re.findall(r'href="([^"#:]*)#([^"]*)"', body):
            if anchor not in there.get(name or page.name, ()):
                yield f"{page.path}: {name}#{anchor}"


def main():
    if len(sys.argv) != 3:
        fail("usage: build.py BUILD-FOLDER OUT")
    if not shutil.which("cmark-gfm"):
        fail("cmark-gfm is missing: ./dev deps cmark-gfm")
    build, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    work = out + ".new"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    sections = contents(build)
    pages = [page for _, some in sections for page in some]
    names = [page.name for page in pages]
    for name in {n for n in names if names.count(n) > 1}:
        fail(f"two pages are called {name}")
    by_path = {os.path.normpath(page.path): page for page in pages}
    frame = open(os.path.join(SITE, "page.html")).read()
    unknown, bodies = [], []
    for page in pages:
        pictures(page, build, work)
        bodies.append((page, rendered(page, by_path, unknown)))
    for number, (page, body) in enumerate(bodies):
        before, after = pages[number - 1] if number else None, pages[number + 1] if number + 1 < len(pages) else None
        turn = "".join(
            f'<a class="{kind}" href="{other.name}">{html.escape(other.title)}</a>'
            for kind, other in (("before", before), ("after", after)) if other)
        text = frame
        for mark, value in (("TITLE", html.escape(page.title)), ("NAVIGATION", navigation(sections, page)),
                            ("TURN", turn), ("BODY", body)):
            text = text.replace("@" + mark + "@", value)
        with open(os.path.join(work, page.name), "w") as file:
            file.write(text)
    with open(os.path.join(work, "search.js"), "w") as file:
        file.write("window.searchIndex = " + json.dumps(index_of(bodies)).replace("</", "<\\/") + ";\n")
    for name in ("site.css", "site.js"):
        shutil.copy(os.path.join(SITE, name), work)
    unknown += lost(bodies)
    if unknown:
        fail("links to nothing:\n  " + "\n  ".join(unknown))
    shutil.rmtree(out, ignore_errors=True)
    os.rename(work, out)
    print(f"site: {len(pages)} pages in {os.path.relpath(out)}")


main()
