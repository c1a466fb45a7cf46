#!/usr/bin/env python3
"""tools/site without a build: lists as MkDocs reads them, and pages that its settings name."""

import importlib.machinery
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("site_tool", str(ROOT / "tools/site"))
site = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_tool", loader))
loader.exec_module(site)

# What GitHub reads as a list, and the same for Python-Markdown.
LISTS = {
    "Three numbers:\n- one\n- two\n": "Three numbers:\n\n- one\n- two\n",
    "1. First\n   goes on.\n2. Second\n": "1. First\n    goes on.\n2. Second\n",
    "- item\n  ```\n  code\n    more\n  ```\n\nText\n": "- item\n    ```\n    code\n      more\n    ```\n\nText\n",
    "```\n- no list\n- in code\n```\n": "```\n- no list\n- in code\n```\n",
    "- a\n\n  second paragraph\n- b\n\nEnd.\nNext\n- c\n": "- a\n\n    second paragraph\n- b\n\nEnd.\nNext\n\n- c\n",
}


def main():
    problems = []
    for given, wanted in LISTS.items():
        if (found := site.for_mkdocs(given)) != wanted:
            problems.append(f"for_mkdocs({given!r}) is {found!r}, not {wanted!r}")
    made = {"gallery.md", "reference/command-line.md", *(f"project/{name}.md" for name in site.PROJECT.values())}
    named = set(re.findall(r"([\w/-]+\.md)\b", (ROOT / "site/mkdocs.yml").read_text().split("\nnav:\n")[1]))
    problems += [f"site/mkdocs.yml names {name}, which is no page" for name in sorted(named - made) if not (ROOT / "docs" / name).exists()]
    folders = set(re.findall(r"!GLOB (\w+)", (ROOT / "site/mkdocs.yml").read_text()))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").as_posix()
        if name not in named and name.split("/")[0] not in folders:
            problems.append(f"site/mkdocs.yml does not name {name}")
    print("\n".join(problems) or "site: lists and pages as wanted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
