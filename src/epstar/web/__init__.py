"""The explorer in a browser: a JSON API on the same problem and answer documents as the command line, and its page.

Needs the extra "web". Every computation is a call of the library in a worker process; there is no mathematics here.
"""
