# SPDX-License-Identifier: Apache-2.0
"""The measurements still run, each row of them, and count what they should. What they say here means nothing."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.program import binary

TEST = Path(__file__).resolve().parents[1]


def bench(*arguments):
    done = subprocess.run([sys.executable, "-B", "-m", "bench", *map(str, arguments)], cwd=TEST, capture_output=True, text=True,
                          env={**os.environ, "TIDEMARK_BIN": str(binary())}, timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_each_row_of_the_measurements_runs(tmp_path):
    bench("--only", "tidemark", "--runs", 1, "--scale", 0.001, "--no-limit", "--out", tmp_path, "all")
    table = bench("report", "--out", tmp_path, "--svg", tmp_path / "chart.svg")
    results = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert len(results) == 18 and all(not result["failures"] and result["medians"]["tidemark"] for result in results)
    assert all(f"| {result['row']} |" in table for result in results)
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")
