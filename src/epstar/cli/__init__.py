"""The command line: it reads options, calls the library, and shows what came back."""
