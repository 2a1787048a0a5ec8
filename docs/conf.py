"""How Sphinx draws the documentation; `make docs` builds it. What it is built from, `tools/docs_site.py` says."""

import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

_PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "GLAM"
release = _PROJECT["version"]
html_title = f"GLAM {release}"
html_theme = "furo"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_static_path = ["site"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False  # so that a price or a shell variable is no equation
myst_heading_anchors = 4
pygments_style = "friendly"
pygments_dark_style = "native"


def setup(app: Sphinx) -> None:
    """Equations as MathML, which browsers draw by themselves: no script, nothing from the network."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode
