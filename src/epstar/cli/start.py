"""Where `epstar` starts: an interrupt while its parts are being loaded ends it with a sentence too.

Nothing is imported before an interrupt is expected: loading takes long enough for somebody to change their mind.
"""

import os


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from epstar.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        os.write(2, b"epstar: Stopped; nothing unfinished was written.\n")
        return 130
    finally:
        # What is left to do is to end: from here on an interrupt does that without a word.
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
