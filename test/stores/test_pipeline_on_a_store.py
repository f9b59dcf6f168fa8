# SPDX-License-Identifier: Apache-2.0
"""A pipeline whose tables are on an object store; its own notes stay on the disk."""
import shutil
import subprocess
from pathlib import Path

from conftest import BUILD

EXAMPLE = Path(__file__).parents[2] / "examples" / "customers"


def test_runs_are_incremental(store, tmp_path):
    project = tmp_path / "customers"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("warehouse", "pipeline-storage"))
    spec = next(project.glob("spark-pipeline.y*ml"))
    spec.write_text(spec.read_text() + f"\nconfiguration:\n  weir.warehouse: {store.root}/pipeline\n")

    def run():
        done = subprocess.run([str(BUILD / "weir"), "run"], cwd=project, env=store.environment, capture_output=True,
                              text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr

    run()
    first = store.rows("SELECT * FROM customers ORDER BY ALL", folder="pipeline")
    version = store.rows("SELECT max(version) AS v FROM weir_history('customers')", folder="pipeline")
    assert first
    run()
    assert store.rows("SELECT * FROM customers ORDER BY ALL", folder="pipeline") == first
    assert store.rows("SELECT max(version) AS v FROM weir_history('customers')", folder="pipeline") == version
    assert not (project / "warehouse").exists()
