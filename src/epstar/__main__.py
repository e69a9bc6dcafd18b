"""`python -m epstar` is the command line."""

from epstar.cli.start import main

if __name__ == "__main__":
    raise SystemExit(main())
