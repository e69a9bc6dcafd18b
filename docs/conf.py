"""How the documentation is built: Markdown pages, the API from its docstrings, formulas as MathML.

Nothing is fetched from other hosts: formulas are rendered while building, and the pages work offline.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import epstar

# The pages show the second checker, which is a file and not a part of the package.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

project = "epstar"
author = "The epstar authors"
project_copyright = author
version = release = epstar.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"epstar {version}"
html_show_sphinx = False
html_math_renderer = "mathml"
html_copy_source = False

default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
# Parameters and what is returned are listed below each name, with what its docstring says about them.
autodoc_typehints = "both"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
napoleon_use_rtype = False


def show_formula(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def show_displayed_formula(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula that stands by itself."""
    translator.body.append(_mathml(node.astext(), block=True))
    raise nodes.SkipNode


def _mathml(formula: str, block: bool) -> str:
    # The translator of docutils knows the dots by their other name.
    return str(latex2mathml.tex2mathml(re.sub(r"\\dots(?![a-z])", r"\\ldots", formula), as_block=block))


def read_docstring(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Take docstrings as the plain text they are: stars, bars and underscores mean themselves."""
    is_example = False
    for i, line in enumerate(lines):
        is_example = line.lstrip().startswith(">>>") or (is_example and line.strip() != "")
        if not is_example:
            parts = re.split(r"(`[^`]*`)", line)
            lines[i] = "".join(
                part if part.startswith("`") else re.sub(r"([\\|_]|(?<!^)\*)", r"\\\1", part) for part in parts
            )


def setup(app: Sphinx) -> None:
    """Register what this file adds to Sphinx."""
    app.add_html_math_renderer("mathml", (show_formula, None), (show_displayed_formula, None))
    app.connect("autodoc-process-docstring", read_docstring)
