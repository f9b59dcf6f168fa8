# SPDX-License-Identifier: Apache-2.0
"""Tables on object stores are what they are on a disk, for Weir and for delta-rs beside it."""
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from conftest import BUILD


def test_the_contract_of_stores(store):
    """What every store promises, run over this one."""
    done = subprocess.run([str(BUILD / "test_storage"), "--gtest_filter=Remote/*"], capture_output=True, text=True,
                          env={**store.environment, "WEIR_TEST_STORE": f"{store.root}/contract"}, check=False)
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] 11 tests" in done.stdout


def test_a_table_lives_on_a_store(store):
    store.rows("""
        CREATE TABLE t (id INT, part VARCHAR) PARTITIONED BY (part)
          WITH ('delta.enableChangeDataFeed' = 'true', 'delta.checkpointInterval' = '3');
        INSERT INTO t SELECT i, 'p ' || i % 3 FROM range(1000) r(i);
        UPDATE t SET id = -id WHERE id % 10 = 1;
        DELETE FROM t WHERE id = 5;
        MERGE INTO t USING (SELECT 7 AS id, 'ü/%' AS part) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET part = s.part;
    """)
    total = sum(-i if i % 10 == 1 else i for i in range(1000) if i != 5)
    assert store.rows("SELECT count(*) AS n, sum(id)::BIGINT AS s FROM t") == [f'{{"n":999,"s":{total}}}']
    assert store.rows("SELECT count(*) AS n FROM t AT (VERSION => 1)") == ['{"n":1000}']
    assert store.rows("SELECT part FROM t WHERE id = 7") == ['{"part":"ü/%"}']
    assert store.rows("SELECT _change_type AS c, count(*) AS n FROM table_changes('t', 2) GROUP BY ALL ORDER BY ALL") == [
        '{"c":"delete","n":1}', '{"c":"update_postimage","n":101}', '{"c":"update_preimage","n":101}']
    store.rows("INSERT INTO t VALUES (2000, 'p 1'); OPTIMIZE t")
    from deltalake import DeltaTable

    table = DeltaTable(f"{store.root}/lake/t", storage_options=store.delta_rs)
    assert table.version() == 6
    assert sorted(table.to_pyarrow_table()["id"].to_pylist()) == [
        json.loads(row)["id"] for row in store.rows("SELECT id FROM t ORDER BY id")]
    assert store.rows("SHOW TABLES") == ['{"name":"t"}']
    assert store.rows("DROP TABLE t; SHOW TABLES") == []


def test_a_table_is_named_by_its_url(store):
    store.rows("CREATE TABLE u AS SELECT 1 AS x")
    done = subprocess.run([str(BUILD / "weir"), "sql", "--format", "csv", "-c",
                           f"SELECT x FROM '{store.root}/lake/u'; SELECT x FROM weir_scan('{store.root}/lake/u', version => 0)"],
                          env=store.environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["x", "1", "x", "1"], done.stderr


def test_changes_are_followed_from_and_into_a_store(store):
    """The table, the consumers' offsets, a folder of Parquet files and a table of changes are all on the store."""
    store.rows("CREATE TABLE f (id BIGINT, v VARCHAR) WITH ('delta.enableChangeDataFeed' = 'true');" +
               ";".join(f"INSERT INTO f VALUES ({i}, 'a')" for i in range(3)))

    def follow(*arguments):
        command = [str(BUILD / "weir"), "changes", "f", "-w", f"{store.root}/lake", "--follow", "--available-now", "--max-files", "2", *arguments]
        return subprocess.run(command, env=store.environment, capture_output=True, text=True, timeout=300, check=True).stdout

    out = f"{store.root}/out"
    lines = ["--consumer", "lines", "--offsets", f"{store.root}/offsets"]
    assert len(follow(*lines).splitlines()) == 3
    follow("--format", "parquet", "--output", out)
    store.rows("UPDATE f SET v = 'b' WHERE id = 1")
    assert len(follow(*lines).splitlines()) == 2
    follow("--format", "parquet", "--output", out)
    follow("--consumer", "c", "--into", "copy", "--key", "id", "--offsets", f"{store.root}/offsets")
    assert store.rows(f"SELECT _change_type AS t, count(*) AS n FROM '{out}/*.parquet' GROUP BY 1 ORDER BY 1") == [
        '{"t":"insert","n":3}', '{"t":"update_postimage","n":1}', '{"t":"update_preimage","n":1}']
    assert store.rows("FROM copy ORDER BY id") == store.rows("FROM f ORDER BY id")


def test_files_of_many_parts(store):
    """Larger than one part of an upload, and read back by ranges."""
    store.rows("CREATE TABLE big AS SELECT i, md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b FROM range(600000) r(i)")
    assert store.rows("SELECT count(*) AS n, count(DISTINCT a) AS a FROM big") == ['{"n":600000,"a":600000}']
    sizes = store.rows("SELECT max(size) > 20000000 AS large FROM (SELECT _metadata.file_size AS size FROM big)")
    assert sizes == ['{"large":true}']


DELTA_RS_WRITER = """
import json, sys
import pyarrow as pa
from deltalake import CommitProperties, write_deltalake
path, options, first, count = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
for n in range(first, first + count):
    write_deltalake(path, pa.table({"id": pa.array([n], pa.int32()), "who": ["delta-rs"]}), mode="append",
                    storage_options=options, commit_properties=CommitProperties(max_commit_retries=1000))
"""


def test_writers_race(store):
    """Weir and delta-rs append at once: nothing is lost, nothing doubled, no version twice."""
    each, writers = 3, 8
    store.rows("CREATE TABLE race (id INT, who VARCHAR)")

    def weir(first):
        script = "".join(f"INSERT INTO race VALUES ({n}, 'weir');\n" for n in range(first, first + each))
        return store.weir(script=script)

    def delta_rs(first):
        return subprocess.run([sys.executable, "-c", DELTA_RS_WRITER, f"{store.root}/lake/race",
                               json.dumps(store.delta_rs), str(first), str(each)], capture_output=True, text=True,
                              check=False)

    with ThreadPoolExecutor(writers) as pool:
        running = [pool.submit(delta_rs if n % 4 == 3 else weir, n * each) for n in range(writers)]
        for one in running:
            assert one.result().returncode == 0, one.result().stderr
    ids = [json.loads(row)["id"] for row in store.rows("SELECT id FROM race ORDER BY id")]
    assert ids == list(range(each * writers))
    versions = store.rows("SELECT count(*) AS n, max(version) AS last FROM weir_history('race')")
    assert versions == [f'{{"n":{each * writers + 1},"last":{each * writers}}}']


def error(store, root, sql):
    done = subprocess.run([str(BUILD / "weir"), "sql", "-w", root, "-c", sql], env=store.environment,
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout
    assert "secret" not in done.stderr
    return done.stderr


def test_errors_name_what_is_wrong(s3, s3_without_conditions, azure):
    create = "CREATE TABLE t (x INT)"
    assert "NoSuchBucket" in error(s3, "s3://weir-nowhere/lake", create)
    assert "ContainerNotFound" in error(azure, "az://weir-nowhere/lake", create)
    assert "WEIR_CONDITIONAL_PUT_UNSUPPORTED" in error(s3_without_conditions, f"{s3_without_conditions.root}/lake", create)
    assert "WEIR_INVALID_LOCATION" in error(s3, "s3://", "SELECT 1")
    assert "DELTA_TABLE_NOT_FOUND" in error(s3, f"{s3.root}/lake", f"SELECT * FROM weir_scan('{s3.root}/nothing')")
