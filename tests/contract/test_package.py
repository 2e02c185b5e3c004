"""What is installed from the wheel is whole: it needs no checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from program import CHECKOUT, Program

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--disable-pip-version-check",
            "-w",
            out,
            CHECKOUT,
        ],
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()
    return next(out.glob("*.whl"))


def test_the_wheel_carries_the_example_hub_to_the_last_file(wheel):
    inside = {
        name.split("_data/wikis/", 1)[1]
        for name in zipfile.ZipFile(wheel).namelist()
        if "_data/wikis/" in name
    }
    listed = subprocess.run(
        ["git", "-c", "core.quotepath=off", "ls-files", "wikis"],
        cwd=CHECKOUT,
        capture_output=True,
        check=False,
    ).stdout
    known = {line.removeprefix("wikis/") for line in listed.decode().splitlines()}
    assert known
    assert inside >= known
    assert "example/topics/agent-memory/.librarian/raw-lock.jsonl" in inside


def test_the_wheel_carries_the_page_of_every_rule(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name.rpartition("/")[2] for name in names if name.startswith("llm_wiki/lint/pages/")}
    assert inside == {path.name for path in (CHECKOUT / "scripts/llm_wiki/lint/pages").iterdir()}
    assert len(inside) > 9


def test_the_wheel_holds_no_tests_and_no_benchmarks(wheel):
    tops = {name.split("/", 1)[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"llm_wiki"}


def test_the_installed_program_runs_its_demo_without_a_checkout(wheel, tmp_path):
    site = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--disable-pip-version-check",
            "--target",
            site,
            wheel,
        ],
        check=True,
        timeout=300,
    )
    program = Program(tmp_path)
    program.env["PYTHONPATH"] = str(site)
    assert str(site) in program.ok("doctor", "--json").out
    done = program.ok("demo", "show")
    assert "did not end as they should" not in done.out
