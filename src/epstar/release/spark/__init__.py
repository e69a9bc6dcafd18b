"""Releases of Spark DataFrames, by the kernel that releases files, in the two ways in which nobody is answered twice.

Spark computes a DataFrame again whenever it is used, and runs a task again when it fails or is slow. With fresh
random bits every time a person would get several answers, which a reader could average. So a release either

- writes its output in one go (`release`): what an attempt that was not committed has drawn is thrown away; or
- draws from a secret key and a row identifier (`keyed`): every evaluation gives the same answer.

A DataFrame with fresh random bits is never handed out. The workers need epstar[spark] as the driver does.
"""

from epstar.release.spark.frame import KeyedRelease, SparkRelease, keyed, release

__all__ = ["KeyedRelease", "SparkRelease", "keyed", "release"]
