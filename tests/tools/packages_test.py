#!/usr/bin/env python3
"""The Dockerfile and the conda recipe install what tools/packages.txt lists, no more and no less."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OF_PYTHON = {"python", "pip", "scikit-build-core", "nanobind"}  # of the Python package, not of packages.txt


def listed():
    """Group: its packages by Debian's name, with that of conda-forge or None."""
    groups = {}
    for line in (ROOT / "tools/packages.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            conda = next((word.removeprefix("conda:") for word in words[2:] if word.startswith("conda:")), None)
            groups.setdefault(words[0], {})[words[1]] = conda
    return groups


def debian(groups, group):
    found = set()
    for name in groups[group]:
        found |= debian(groups, name[1:]) if name.startswith("+") else {name}
    return found


def in_dockerfile():
    command = re.search(r"--no-install-recommends ((?:\\\n\s+\S+ )+\\\n)", (ROOT / "Dockerfile").read_text())
    return set(re.findall(r"[a-z0-9][a-z0-9+.-]*", command[1]))


def in_recipe():
    text = (ROOT / "conda/meta.yaml").read_text()
    part = text[text.index("  build:\n    - ") : text.index("  run:\n")]
    names = {line.strip()[2:].split(" >=")[0] for line in part.splitlines() if line.strip().startswith("- ")}
    return {"compiler-cxx" if name.startswith("{{ compiler('cxx')") else name for name in names} - OF_PYTHON


def main():
    groups = listed()
    problems = []
    for what, wanted, found in (
        ("Dockerfile", debian(groups, "deb"), in_dockerfile()),
        ("conda/meta.yaml", set(groups["build"].values()), in_recipe()),
    ):
        problems += [f"{what} does not list {name}" for name in sorted(wanted - found, key=str)]
        problems += [f"{what} lists {name}, which tools/packages.txt does not" for name in sorted(found - wanted)]
    print("\n".join(problems) or "package lists: equal")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
