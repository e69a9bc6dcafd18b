"""Where `epstar` starts: an interrupt while its parts are being loaded ends it with a sentence too.

Nothing is imported before an interrupt is expected: loading takes long enough for somebody to change their mind.
"""

import os


def main() -> int:
    """Run the command line and return its exit code."""
    # Programs are many small systems: threads of the linear algebra wait for each other, and take CPU time for it (1.8
    # seconds instead of 1.0 for a Rényi question of 15 categories on two cores, 15 beside other work).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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
