"""A folder on any file system of Spark that appears whole or not at all, with one answer of each task in it."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.release.atomic_files import WriteFailed, sync_folder
from epstar.release.partition import is_inside

# How long tasks are waited for that failed with others or lost to another attempt; Spark kills them within seconds.
_PATIENCE = 60.0
# The first algorithm shows no file of a task before the whole job is committed.
_COMMITTER = ("mapreduce.fileoutputcommitter.algorithm.version", "1")


@dataclass(frozen=True)
class Folder:
    """A name on a file system of Hadoop, and the session that writes to it."""

    session: Any
    name: str

    @classmethod
    def of(cls, dataframe: Any, output: str | Path) -> Folder:
        """Return the folder that a DataFrame is to be written to.

        Raises:
            InvalidInput: if it exists, its own folder does not, or the session is that of a remote client.
        """
        session = dataframe.sparkSession
        if not hasattr(session, "_jvm"):
            raise InvalidInput(
                "A session of Spark Connect cannot give a folder its name in one step; use a classic session, or "
                "a keyed release."
            )
        folder = cls(session, str(output))
        path, system = folder.path(), folder.system
        if system.exists(path):
            raise InvalidInput(f"{path.getName()} exists already; choose another name or remove it.")
        if not system.exists(system.makeQualified(path).getParent()):
            raise InvalidInput(f"The folder of {path.getName()} does not exist; make it first.")
        return folder

    def path(self, *parts: str) -> Any:
        """Return the path of the folder, or of something in it."""
        path = self.session._jvm.org.apache.hadoop.fs.Path(self.name)
        for part in parts:
            path = self.session._jvm.org.apache.hadoop.fs.Path(path, part)
        return path

    @property
    def system(self) -> Any:
        """The file system."""
        return self.path().getFileSystem(self.session._jsc.hadoopConfiguration())

    @contextmanager
    def staged(self) -> Iterator[StagedFolder]:
        """Give a folder of another name beside this one, which takes this name if the block ends well."""
        path, system = self.path(), self.system
        parent = system.makeQualified(path).getParent()
        hidden = self.session._jvm.org.apache.hadoop.fs.Path(parent, f".{path.getName()}.{secrets.token_hex(8)}.part")
        system.mkdirs(hidden)
        # If this process dies, the machine of Spark still lives long enough to remove what is unfinished.
        system.deleteOnExit(hidden)
        staged = StagedFolder(self.session, f"{hidden.toString()}/{path.getName()}")
        try:
            yield staged
            staged.sync()
            if system.exists(path) or not system.rename(staged.path(), path):
                raise WriteFailed(
                    f"{path.getName()} could not be given its name, and nothing was released; try another."
                )
        finally:
            system.delete(hidden, True)
            system.cancelDeleteOnExit(hidden)
        if system.getScheme() == "file":
            sync_folder(Path(parent.toUri().getPath()))


@dataclass(frozen=True)
class StagedFolder(Folder):
    """The folder under its other name."""

    def write(self, dataframe: Any, partition_by: Sequence[str] = ()) -> list[dict[str, object]]:
        """Write a DataFrame in one job and return its tables as a release file lists them."""
        context = self.session.sparkContext
        tag = f"epstar-{secrets.token_hex(8)}"
        context.addJobTag(tag)
        try:
            dataframe.write.option(*_COMMITTER).partitionBy(*partition_by).parquet(self.name)
        except BaseException:
            context.cancelJobsWithTag(tag)
            # A task that is still at work would make the folder anew after it is removed.
            self._wait_for_tasks(tag)
            raise
        finally:
            context.removeJobTag(tag)
        self._wait_for_tasks(tag)
        self.system.delete(self.path("_temporary"), True)
        return [self._table(name) for name in self._parts()]

    def _wait_for_tasks(self, tag: str) -> None:
        """Wait for tasks that failed or were overtaken by another attempt, so that nothing of them is left."""
        # What has happened reaches the tracker a little later.
        self.session._jsc.sc().listenerBus().waitUntilEmpty(int(1000 * _PATIENCE))
        tracker = self.session.sparkContext.statusTracker()
        jobs = self.session._jsc.sc().statusTracker().getJobIdsForTag(tag)
        stages = [stage for job in jobs for stage in getattr(tracker.getJobInfo(job), "stageIds", ())]
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            found = [tracker.getStageInfo(stage) for stage in stages]
            if not any(info is not None and info.numActiveTasks for info in found):
                return
            time.sleep(0.05)

    def _parts(self) -> list[str]:
        """The names of the files, after checking that there is nothing else.

        Raises:
            WriteFailed: if there is.
        """
        names = [name for name in self._listed("") if name != "_SUCCESS"]
        for name in names:
            file = name.rpartition("/")[2]
            if not (is_inside(name) and file.startswith("part-") and file.endswith(".parquet")):
                raise WriteFailed("Spark left more than the released files, so nothing was released; see its log.")
        return sorted(names)

    def _listed(self, inside: str) -> Iterator[str]:
        """The names of all files in the folder, and in those inside it."""
        for entry in self.system.listStatus(self.path(inside) if inside else self.path()):
            name = f"{inside}/{entry.getPath().getName()}".lstrip("/")
            if entry.isFile():
                yield name
            else:
                yield from self._listed(name)

    def _table(self, name: str) -> dict[str, object]:
        machine = self.session._jvm
        configuration = self.session._jsc.hadoopConfiguration()
        given = machine.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(self.path(name), configuration)
        reader = machine.org.apache.parquet.hadoop.ParquetFileReader.open(given)
        rows = int(reader.getRecordCount())
        reader.close()
        stream = self.system.open(self.path(name))
        digest = str(machine.org.apache.commons.codec.digest.DigestUtils.sha256Hex(stream))
        stream.close()
        return {"name": name, "format": "parquet", "rows": rows, "sha256": digest}

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write a file into the folder."""
        stream = self.system.create(self.path(name), False)
        stream.write(content)
        stream.hsync()
        stream.close()

    def sync(self) -> None:
        """Bring the files to the disk, where it is one of this machine; other systems keep what was closed."""
        if self.system.getScheme() != "file":
            return
        folder = Path(self.path().toUri().getPath())
        inside = list(folder.rglob("*"))
        for path in (path for path in inside if path.is_file()):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        for path in (*(path for path in inside if path.is_dir()), folder):
            sync_folder(path)
