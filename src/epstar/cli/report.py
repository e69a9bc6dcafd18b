"""`epstar report`: a page about a release that can be handed on."""

from __future__ import annotations

import argparse

from epstar.cli.progress import progress
from epstar.cli.result import Result
from epstar.release.report import report as reported

EXAMPLES = """\
epstar report out.csv.release.json
epstar report out.csv.release.json -o report.html --force"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the release file and the page."""
    parser.add_argument("release", help="the release file that was written beside the table")
    parser.add_argument("-o", "--output", metavar="FILE", help="the page to write (default: beside the release file)")
    parser.add_argument("--force", action="store_true", help="replace the page if it exists")


def run(options: argparse.Namespace) -> Result:
    """Write the page and say where it is."""
    with progress("measuring") as step:
        done = reported(options.release, options.output, force=options.force, progress=step)
    document = {
        "schema": "epstar/report/1",
        "report": str(done.output),
        "release_file": str(done.release_file),
        "columns": [
            {
                "names": list(names),
                "guarantees": [
                    {
                        "notion": words.notion.name,
                        **words.notion.parameters(),
                        "sentence": words.sentence,
                        "rests_on_source": words.rests_on_source,
                    }
                    for words in told
                ],
            }
            for names, told in done.columns
        ],
    }
    return Result(document, (f"The report is in {done.output}.",), "; ".join(done.theorems))
