# SPDX-License-Identifier: Apache-2.0
"""The statements of test/sql with their tables on an object store: settings stores/s3 and stores/azure.

WEIR_SQL_FILES names the files (words in their paths); `all` runs all of them, which takes some minutes a store."""
import os
import subprocess

from conftest import BUILD

# Of each way to read, to write and to take care of tables one file.
FEW = ["write/merge.test", "write/create_insert.test", "care/optimize.test", "changes/written.test"]


def test_sql_files(store, request):
    words = os.environ.get("WEIR_SQL_FILES", " ".join(FEW)).split()
    name = request.node.callspec.params["store"]
    done = subprocess.run([str(BUILD / "weir_sqltest"), "--setting", f"stores/{name}",
                           *(words if words != ["all"] else [])],
                          env={**store.environment, "WEIR_TEST_STORE": f"{store.root}/sql"}, capture_output=True,
                          text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
