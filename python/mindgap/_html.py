"""Results in notebooks: words, numbers and tables as plain HTML, pictures in a frame that needs no network.

Each result carries what draws its pictures, packed, so that cells may be run, deleted and moved in any order
and a saved notebook shows the same on a machine without mindgap.
"""

from __future__ import annotations

import base64
import functools
import gzip
import html
import json

from . import _core

_STYLE = (
    "<style>.mindgap{max-width:62rem}.mindgap p{margin:.3em 0}.mindgap .kind{font-size:.8em;font-weight:600;"
    "letter-spacing:.06em;text-transform:uppercase;opacity:.7}"
    ".mindgap .headline{font-size:1.25em;font-weight:600}"
    ".mindgap .more{opacity:.7}.mindgap td,.mindgap th{text-align:left;padding:.15em .9em .15em 0}"
    ".mindgap .number{text-align:right}"
    ".mindgap caption{text-align:left;font-weight:600}"
    ".mindgap iframe{width:100%;border:0;height:26rem}</style>"
)

# In the frame: as wide as the cell, as high as what is in it.
_FRAME_STYLE = (
    "<style>header{display:none}body{padding:0 .25rem;max-width:none}.figure{margin:.5rem 0 1rem}</style>"
)
_FRAME_SCRIPT = """<script>
"use strict";
(async () => {
  const fit = () => {
    try {
      frameElement.style.height = document.documentElement.offsetHeight + 4 + "px";
    } catch {}
  };
  new ResizeObserver(fit).observe(document.documentElement);
  const bytes = Uint8Array.from(atob(PACKED), (c) => c.charCodeAt(0));
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  for (const text of await unpacked.json()) {
    const script = document.createElement("script");
    script.textContent = text;
    document.body.append(script);
  }
})();
</script>"""


@functools.lru_cache(maxsize=None)
def _packed() -> str:
    text = json.dumps(_core.report_scripts())
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def frame_page(page: str) -> str:
    """A page of the library with its scripts packed."""
    bundle, script = _core.report_scripts()
    for part in (bundle, script):
        page = page.replace(f"<script>\n{part}</script>\n", "", 1)
    page = page.replace("</head>", _FRAME_STYLE + "</head>", 1)
    return page.replace("</body>", _FRAME_SCRIPT.replace("PACKED", f'"{_packed()}"') + "</body>", 1)


def notebook(words: str, pictures: str) -> str:
    """What a notebook shows of a result."""
    frame = ""
    if pictures:
        frame = f'<iframe title="Pictures" srcdoc="{html.escape(frame_page(pictures))}"></iframe>'
    return f'{_STYLE}<div class="mindgap">{words}{frame}</div>'
