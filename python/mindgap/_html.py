"""Results in notebooks: words, numbers and tables as plain HTML, pictures as images inside it.

Nothing runs and nothing is asked from anywhere, so a saved notebook shows the same on a machine without mindgap.
"""

from __future__ import annotations

import base64
import html

_STYLE = (
    "<style>.mindgap{max-width:62rem}.mindgap p{margin:.3em 0}.mindgap .kind{font-size:.8em;font-weight:600;"
    "letter-spacing:.06em;text-transform:uppercase;opacity:.7}"
    ".mindgap .headline{font-size:1.25em;font-weight:600}"
    ".mindgap .more{opacity:.7}.mindgap td,.mindgap th{text-align:left;padding:.15em .9em .15em 0}"
    ".mindgap .number{text-align:right}"
    ".mindgap caption{text-align:left;font-weight:600}"
    ".mindgap figure{margin:1em 0}.mindgap img{max-width:100%;height:auto}</style>"
)


def _picture(title: str, caption: str, description: str, svg: str) -> str:
    data = base64.b64encode(svg.encode()).decode()
    return (
        f"<figure><figcaption><b>{html.escape(title)}</b><br>{html.escape(caption)}</figcaption>"
        f'<img alt="{html.escape(description or title)}" src="data:image/svg+xml;base64,{data}"></figure>'
    )


def notebook(words: str, pictures: list[tuple[str, str, str, str]]) -> str:
    """What a notebook shows of a result: pictures are titles, captions, descriptions and SVG."""
    drawn = "".join(_picture(*one) for one in pictures)
    return f'{_STYLE}<div class="mindgap">{words}{drawn}</div>'
