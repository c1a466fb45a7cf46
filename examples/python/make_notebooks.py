"""Writes the notebooks beside the scripts that they are made from, and executes them.

A script's cells begin with `# %%`, those of words with `# %% [markdown]`. Without arguments all are made;
with `--check` nothing is written, but every notebook is executed and must have the cells of its script.
Those whose simulator is a package that is not installed (requirements.txt here) are not executed.
What a cell ends with is kept as text: whoever runs it sees it with pictures.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

nbformat: Any = importlib.import_module("nbformat")
HERE = Path(__file__).parent
HEAD = "*Run it to see the pictures: this file keeps text only, as every picture brings 400 kB of script.*"
NOTEBOOKS = {
    "02_frozen_lake": "frozen_lake",
    "03_inventory": "inventory",
    "04_testing_vans": "testing_vans",
    "05_pendulum": "pendulum",
    "06_stockpyl": "stockpyl",
    "07_epidemic": "epidemic",
}
WANTED = {"06_stockpyl": "stockpyl", "07_epidemic": "starsim"}  # packages of requirements.txt


def cells_of(script: str) -> list[tuple[str, str]]:
    """Kind (markdown or code) and text of each cell."""
    cells = []
    for part in script.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()]
            cells.append(("markdown", "\n".join(lines)))
        else:
            cells.append(("code", body.strip()))
    cells[0] = ("markdown", f"{cells[0][1]}\n\n{HEAD}")
    return cells


def notebook_of(script: str) -> Any:
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, (kind, text) in enumerate(cells_of(script)):
        make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
        made.cells.append(make(text, id=f"cell-{number}"))
    return made


def kept(cell: Any) -> list[Any]:
    """What a cell said, and what it ends with: as text, and as a page with static pictures. No progress bars."""
    made = nbformat.v4.new_output
    said = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    outputs = [made("stream", name="stdout", text=said)] if said else []
    for output in cell.outputs:
        if output.output_type == "execute_result":
            shown = {kind: output.data[kind] for kind in ("text/plain", "text/html") if kind in output.data}
            outputs.append(made("execute_result", shown, execution_count=cell.execution_count))
    return outputs


def execute(notebook: Any) -> None:
    importlib.import_module("nbclient").NotebookClient(
        notebook, timeout=1800, resources={"metadata": {"path": str(HERE)}}
    ).execute()
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = kept(cell)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", default=list(NOTEBOOKS), help="scripts, without .py")
    asked = parser.parse_args()
    for name in asked.names:
        path = HERE / f"{NOTEBOOKS[name]}.ipynb"
        made = notebook_of((HERE / f"{name}.py").read_text())
        if asked.check:
            kept = nbformat.read(path, as_version=4)
            if [cell.source for cell in kept.cells] != [cell.source for cell in made.cells]:
                sys.exit(f"{path.name} is not what {name}.py makes: run {Path(__file__).name}")
        package = WANTED.get(name)
        if package is not None and importlib.util.find_spec(package) is None:
            print(f"{path.name}: not executed, {package} is not installed (examples/python/requirements.txt)")
            continue
        execute(made)
        if not asked.check:
            nbformat.write(made, path)
            print(f"{path.name}: {path.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
