# SPDX-License-Identifier: Apache-2.0
"""The installed C++ library: examples/change_stream is configured, built and run against it, as a user's program is."""
import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEIR_BIN", SOURCE / "build")).resolve()


@pytest.mark.skipif(not (BUILD / "libweir.so").exists(), reason="the library is not built")
def test_the_example_follows_a_table(tmp_path):
    def run(*command):
        done = subprocess.run([str(word) for word in command], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    run("cmake", "--install", BUILD, "--component", "library", "--prefix", tmp_path / "prefix")
    run("cmake", "-S", SOURCE / "examples" / "change_stream", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    run("cmake", "--build", tmp_path / "build")
    (tmp_path / "lake").mkdir()
    weir, example = BUILD / "weir", tmp_path / "build" / "follow_changes"
    run(weir, "sql", "-w", "lake", "-c", "CREATE TABLE t (id BIGINT) WITH ('delta.enableChangeDataFeed' = 'true')", "-c",
        "INSERT INTO t VALUES (1), (2)")
    assert run(example, "lake/t") == "versions 1 to 1 (all rows): 2 rows\n"
    assert run(example, "lake/t") == ""
    run(weir, "sql", "-w", "lake", "-c", "UPDATE t SET id = 3 WHERE id = 1", "-c", "DELETE FROM t WHERE id = 2")
    assert run(example, "lake/t") == "versions 2 to 3: 3 rows\n"
    # Nothing but the public classes is visible.
    symbols = run("nm", "-D", "--defined-only", "-C", BUILD / "libweir.so")
    names = [line.split(maxsplit=2)[2] for line in symbols.splitlines()]
    assert any(name.startswith("weir::ChangeStream::Open") for name in names)
    assert not [name for name in names if name.startswith(("weir::engine", "weir::delta", "weir::changes"))]
