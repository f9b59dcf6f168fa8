# SPDX-License-Identifier: Apache-2.0
"""The wheel, installed into an environment of its own: it carries program and extension, and needs nothing of the source tree."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEIR_BIN", ROOT / "build")).resolve()


def must(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not (BUILD / "weir.duckdb_extension").exists(), reason="needs the target weir_extension")
def test_the_installed_wheel(tmp_path):
    home = tmp_path / "site"
    must("bash", ROOT / "python" / "build_wheel.sh", BUILD, tmp_path / "dist", env={**os.environ, "PYTHON": sys.executable})
    wheel, = (tmp_path / "dist").glob("weir-*.whl")
    must(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", home, wheel)
    environment = {**{key: value for key, value in os.environ.items() if not key.startswith("WEIR_")},
                   "PYTHONPATH": os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])}
    weir = [sys.executable, "-m", "weir"]
    must(*weir, "init", "shop", "--language", "python", cwd=tmp_path, env=environment)
    must(*weir, "run", cwd=tmp_path / "shop", env=environment)
    shown = must(sys.executable, "-c", """
import weir
connection = weir.connect("shop/warehouse")
assert weir.__file__.startswith({home!r}), weir.__file__
print(connection.sql("SELECT id, name FROM customers ORDER BY id").fetchall())
connection.execute("CREATE TABLE copy AS FROM customers")
print(connection.sql("SELECT count(*) FROM lake.main.copy").fetchall())
""".replace("{home!r}", repr(str(home))), cwd=tmp_path, env=environment)
    assert shown.splitlines() == ["[(1, 'alicia'), (2, 'bob'), (3, 'carol')]", "[(3,)]"]
