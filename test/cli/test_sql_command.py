# SPDX-License-Identifier: Apache-2.0
"""`weir sql` as a process: exit status, streams, formats, and the shell on a terminal."""
import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

WEIR = str(Path(os.environ.get("WEIR_BIN", Path(__file__).resolve().parents[2] / "build")).resolve() / "weir")


def weir(*arguments, stdin=""):
    return subprocess.run([WEIR, *arguments], input=stdin, capture_output=True, text=True, timeout=120, check=False)


def test_version_and_help():
    assert weir("--version").stdout.startswith("weir 0.")
    assert "sql" in weir("help").stdout
    assert "--format" in weir("help", "sql").stdout


@pytest.mark.parametrize(
    "arguments",
    [[], ["frobnicate"], ["help", "frobnicate"], ["sql", "--format", "xml"], ["sql", "--threads", "0"], ["sql", "-c", "x", "-f", "y"]],
)
def test_wrong_usage_is_status_2(arguments):
    done = weir(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr != ""


@pytest.mark.parametrize(
    "arguments, name",
    [
        (["-c", "SELECT nope"], "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (["-c", "SELECT 1; SELECT"], "PARSE_SYNTAX_ERROR"),
        (["-w", "does/not/exist", "-c", "SELECT 1"], "DELTA_PATH_DOES_NOT_EXIST"),
        (["-f", "does/not/exist.sql"], "WEIR_FILE_NOT_FOUND"),
        (["--memory-limit", "much", "-c", "SELECT 1"], "WEIR_SQL_ERROR"),
    ],
)
def test_failures_are_status_1_and_named(arguments, name):
    done = weir("sql", *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(f"weir: [{name}] ")


def test_results_come_in_order_and_stop_at_the_first_error():
    done = weir("sql", "--format", "jsonl", "-c", "SELECT 1 AS a; SELECT 2 AS a", "-c", "SELECT nope", "-c", "SELECT 3 AS a")
    assert done.returncode == 1
    assert done.stdout == '{"a":1}\n{"a":2}\n'


def test_a_transaction_left_open_is_an_error(tmp_path):
    lake = ["sql", "-w", str(tmp_path), "-c"]
    assert weir(*lake, "CREATE TABLE t (a INT)").returncode == 0
    done = weir(*lake, "BEGIN; INSERT INTO t VALUES (1)")
    assert done.returncode == 1
    assert done.stderr.startswith("weir: [WEIR_TRANSACTION_NOT_COMMITTED] ")
    for harmless in ("BEGIN; SELECT * FROM t", "BEGIN; INSERT INTO t VALUES (2); ROLLBACK", "BEGIN; INSERT INTO t VALUES (3); COMMIT"):
        assert weir(*lake, harmless).returncode == 0
    assert weir(*lake, "SELECT a FROM t", "--format", "jsonl").stdout == '{"a":3}\n'


def test_what_others_wrote_cannot_steer_the_terminal():
    """Messages quote names, paths and answers of stores; colours, bells and titles of theirs are shown, not obeyed."""
    done = weir("sql", "-c", "SELECT error('a' || chr(27) || ']0;b' || chr(7) || chr(10) || 'c')")
    assert done.returncode == 1 and "a\\x1b]0;b\\x07\nc" in done.stderr, done.stderr


def test_only_results_go_to_stdout():
    done = weir("sql", "--format", "json", "-c", "CREATE TABLE t(i INT); INSERT INTO t VALUES (1); FROM t")
    assert json.loads(done.stdout) == [{"i": 1}]
    assert done.stderr == ""


def test_a_statement_may_begin_with_a_comment():
    assert weir("sql", "--format", "csv", "-c", "-- note\nSELECT 1 AS a").stdout == "a\n1\n"


def test_sql_from_a_file_and_from_stdin(tmp_path):
    script = tmp_path / "script.sql"
    script.write_text("SELECT 1\n AS a; -- ;\n.mode csv\nSELECT ';' AS b")
    expected = '{"a":1}\nb\n;\n'
    assert weir("sql", "--format", "jsonl", "-f", str(script)).stdout == expected
    assert weir("sql", "--format", "jsonl", stdin=script.read_text()).stdout == expected
    assert weir("sql", "--format", "jsonl", "-f", "-", stdin=script.read_text()).stdout == expected


def test_a_conversation_over_a_pipe():
    """Each statement is run, and its result written, as soon as its semicolon has come."""
    with subprocess.Popen([WEIR, "sql", "--format", "jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for n in (1, 2):
            process.stdin.write(f"SELECT {n} AS n;\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"n": n}
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_reader_that_leaves_early_is_no_error():
    process = subprocess.Popen(
        [WEIR, "sql", "--format", "csv", "-c", "FROM range(10000000)"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""


def test_a_full_disk_is_an_error():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([WEIR, "sql", "-c", "SELECT 1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "[WEIR_OUTPUT_FAILED]" in done.stderr


def test_nothing_is_left_behind(tmp_path):
    subprocess.run([WEIR, "sql", "-c", "SELECT 1"], cwd=tmp_path, check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []


class Shell:
    """`weir sql` on a terminal of its own."""

    def __init__(self, home):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(HOME=str(home), TERM="xterm")
            os.environ.pop("XDG_STATE_HOME", None)
            os.execv(WEIR, [WEIR, "sql"])
        self.seen = ""

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, text, seconds=60):
        """Waits until the terminal shows `text`, and returns all that came with it."""
        end = time.time() + seconds
        while text not in self.seen:
            assert time.time() < end, f"no {text!r} in {self.seen!r}"
            if select.select([self.terminal], [], [], 0.2)[0]:
                self.seen += os.read(self.terminal, 65536).decode()
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def leave(self):
        self.send(".quit\n")
        while True:  # a terminal that is not read keeps its writer waiting
            try:
                if not os.read(self.terminal, 65536):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def shell(tmp_path):
    started = Shell(tmp_path)
    started.wait_for("weir> ")
    yield started
    try:
        os.kill(started.pid, signal.SIGKILL)
        os.waitpid(started.pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def test_shell_runs_statements_of_several_lines(shell, tmp_path):
    shell.send("SELECT 6 * 7\n")
    shell.wait_for(" ...> ")
    shell.send("AS answer;\n")
    shell.wait_for("│     42 │")
    shell.send("CREATE TABLE t(i INT); INSERT INTO t VALUES (1), (2);\n")
    shell.wait_for("2 rows changed")
    shell.send(".schema t\n")
    shell.wait_for("CREATE TABLE t(i INTEGER);")
    assert shell.leave() == 0
    assert "answer" in (tmp_path / ".local/state/weir/history").read_text()


def test_shell_goes_on_after_an_error(shell):
    shell.send("SELECT nope;\n")
    shell.wait_for("weir: [UNRESOLVED_COLUMN.WITH_SUGGESTION]")
    shell.send(".nope\n")
    shell.wait_for("[WEIR_UNKNOWN_SHELL_COMMAND]")
    shell.send("SELECT 'still' || ' here' AS s;\n")
    shell.wait_for("still here")
    assert shell.leave() == 0


def test_ctrl_c_cancels_the_statement_not_the_shell(shell):
    shell.send("SELECT count(*) FROM range(1000000000000) a, range(1000) b;\n")
    time.sleep(1)
    shell.send("\x03")
    shell.wait_for("[WEIR_INTERRUPTED]")
    shell.send("SELECT half\x03")
    shell.wait_for("^C")
    shell.send("SELECT 1 + 1 AS two;\n")
    shell.wait_for("│   2 │")
    assert shell.leave() == 0


def test_a_long_statement_shows_its_progress(shell):
    # DuckDB knows how far it is in a table, and not in range().
    shell.send("CREATE TEMP TABLE n AS FROM range(1000000) r(i);\n")
    shell.send("SELECT count(*) AS c FROM n a, n b WHERE a.i + b.i = -1;\n")
    shell.wait_for(" %", seconds=300)
    shell.send("\x03")
    shell.wait_for("weir> ")
    assert shell.leave() == 0
