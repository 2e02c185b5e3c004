"""1xx: each defect of root, structure and reading gives exactly its one finding."""

import json
import os
from contextlib import contextmanager

import pytest
from lintkit import (
    CATEGORIES,
    GREEN,
    HARVEST,
    MANIFEST,
    REPORT,
    STUDY,
    TYPES,
    drop,
    edit,
    field,
    findings,
    full,
    hub,
    ids,
    one,
    read,
    reindex,
    sample,
    write,
)


def conflict(before: str, ours: str, theirs: str) -> str:
    return f"{before}<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> other\n"


def cite(root, rel):
    """Let an article cite a further source, and write the indexes."""
    field(root, GREEN, "sources", f"\n  - {HARVEST}\n  - {STUDY}\n  - {rel}")
    reindex(root)


@contextmanager
def unprivileged(root):
    """Run as a user whom file modes bind, also where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    for folder in [root, *root.parents][:-2]:
        folder.chmod(folder.stat().st_mode | 0o555)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("build", [sample, full, hub])
def test_the_sample_has_no_finding(tmp_path, build):
    assert findings(build(tmp_path)) == []


@pytest.mark.parametrize("build", [sample, full, hub])
def test_the_sample_has_no_finding_with_documented_severities(tmp_path, build):
    assert findings(build(tmp_path), strict=True) == []


@pytest.mark.parametrize("name", ["_index.md", "log.md"])
def test_a_hub_without_index_or_log_is_w101(tmp_path, name):
    root = hub(tmp_path)
    (root / name).unlink()
    found = one(root, "W101")
    assert (found.severity, found.path, found.fixable) == ("critical", name, True)


def test_a_topic_without_master_index_is_w102(tmp_path):
    root = sample(tmp_path)
    (root / "_index.md").unlink()
    found = one(root, "W102")
    assert (found.severity, found.path, found.fixable) == ("critical", "_index.md", True)


def test_a_topic_without_config_is_w103(tmp_path):
    root = sample(tmp_path)
    (root / "config.md").unlink()
    found = one(root, "W103")
    assert (found.severity, found.fixable) == ("critical", False)


def test_a_missing_guide_is_only_an_info(tmp_path):
    root = sample(tmp_path)
    (root / "schema.md").unlink()
    found = one(root, "W104")
    assert (found.severity, found.fixable) == ("info", True)


def test_a_missing_folder_is_w105_and_not_also_a_missing_index(tmp_path):
    root = sample(tmp_path)
    (root / "raw/data/_index.md").unlink()
    (root / "raw/data").rmdir()
    edit(root, "raw/_index.md", "\n## Data\n\nSee [data/_index.md](data/_index.md)\n", "")
    found = one(root, "W105")
    assert (found.severity, found.path, found.fixable) == ("critical", "raw/data", True)


def test_of_a_missing_plane_only_the_plane_is_named(tmp_path):
    root = sample(tmp_path)
    for path in sorted((root / "output").rglob("*"), reverse=True):
        path.unlink()
    (root / "output").rmdir()
    edit(root, "_index.md", "- [Output](output/_index.md)\n", "")
    assert one(root, "W105").path == "output"


def test_a_file_in_the_place_of_a_folder_is_not_fixable(tmp_path):
    root = sample(tmp_path)
    (root / "raw/data/_index.md").unlink()
    (root / "raw/data").rmdir()
    edit(root, "raw/_index.md", "\n## Data\n\nSee [data/_index.md](data/_index.md)\n", "")
    write(root, "raw/data", "not a folder")
    found = findings(root, only=["W105"])
    assert [(item.path, item.fixable) for item in found] == [("raw/data", False)]


@pytest.mark.parametrize(
    "folder",
    [
        *(f"raw/{name}" for name in TYPES),
        *(f"wiki/{name}" for name in CATEGORIES),
        "raw",
        "wiki",
        "output",
        "inventory",
        "inventory/items",
        "datasets",
        "datasets/auction-prices",
        "datasets/auction-prices/samples",
    ],
)
def test_each_managed_folder_without_index_is_one_w106(tmp_path, folder):
    root = full(tmp_path)
    (root / folder / "_index.md").unlink()
    found = findings(root, only=["W1"])
    assert [(item.rule, item.path) for item in found] == [("W106", f"{folder}/_index.md")]
    assert found[0].message.startswith("Required _index.md is missing")


def test_a_missing_leaf_index_is_the_only_finding(tmp_path):
    root = sample(tmp_path)
    (root / "raw/repos/_index.md").unlink()
    found = one(root, "W106")
    assert (found.severity, found.fixable) == ("critical", True)


def test_a_dataset_folder_without_manifest_needs_no_index(tmp_path):
    root = sample(tmp_path)
    write(root, "datasets/empty/.gitkeep")
    reindex(root)
    assert ids(root) == ["W309"]


def test_a_missing_inbox_is_a_warning(tmp_path):
    root = sample(tmp_path)
    (root / "inbox/.processed").rmdir()
    (root / "inbox").rmdir()
    found = one(root, "W107")
    assert (found.severity, found.fixable) == ("warning", True)


def test_a_symlink_that_leaves_the_root_is_one_w108(tmp_path):
    root = sample(tmp_path)
    outside = write(tmp_path, "elsewhere.md", "text")
    (root / "output/elsewhere.txt").symlink_to(outside)
    found = one(root, "W108")
    assert (found.severity, found.path, found.target) == ("warning", "output/elsewhere.txt", str(outside))


def test_a_symlink_inside_the_root_is_no_w108(tmp_path):
    root = sample(tmp_path)
    (root / "inbox/copy.md").symlink_to(root / GREEN)
    assert ids(root) == []


@pytest.mark.parametrize("rel", [HARVEST, GREEN, "log.md", "output/report-old-2026-01-01.md"])
def test_a_file_that_is_not_utf8_has_that_one_finding(tmp_path, rel):
    root = sample(tmp_path)
    if not (root / rel).exists():
        write(root, rel, "---\ntitle: Old\ntype: report\n---\n\n# Old\n")
        reindex(root)
    data = (root / rel).read_bytes()
    write(root, rel, data + b"caf\xe9 and \xff\xfe\n")
    found = one(root, "W110")
    assert (found.severity, found.path, found.line) == ("critical", rel, data.count(b"\n") + 1)


def test_utf16_is_one_w110(tmp_path):
    root = sample(tmp_path)
    write(root, "README.md", "# Tea".encode("utf-16"))
    assert ids(root) == ["W110"]


@pytest.mark.parametrize("rel", [HARVEST, GREEN, MANIFEST])
def test_a_document_without_front_matter_is_w111(tmp_path, rel):
    root = full(tmp_path)
    text = read(root, rel)
    write(root, rel, text.split("\n---\n", 1)[1].lstrip())
    found = findings(root, only=["W1", "W2", "W3", "W7"])
    assert [(item.rule, item.path, item.line) for item in found] == [("W111", rel, 1)]


def test_missing_front_matter_is_the_only_finding(tmp_path):
    root = sample(tmp_path)
    rel = "raw/data/2026-01-05-prices.md"
    write(root, rel, "# Prices\n\nJust text.\n")
    cite(root, rel)
    assert one(root, "W111").path == rel


@pytest.mark.parametrize("rel", ["README.md", "inbox/note.md", "output/report-x-2026-01-01.md"])
def test_files_outside_the_checked_folders_need_no_front_matter(tmp_path, rel):
    root = sample(tmp_path)
    write(root, rel, "Just text.\n")
    reindex(root)
    assert ids(root) == []


def test_front_matter_without_end_is_w112(tmp_path):
    root = sample(tmp_path)
    rel = "raw/data/2026-01-05-prices.md"
    write(root, rel, "---\ntitle: Prices\n\nJust text.\n")
    cite(root, rel)
    found = one(root, "W112")
    assert (found.severity, found.path, found.line) == ("critical", rel, 1)


def test_an_unreadable_file_is_w113_and_names_full_disk_access(tmp_path):
    root = sample(tmp_path)
    (root / "log.md").chmod(0)
    with unprivileged(root):
        found = one(root, "W113")
    assert "log.md" in found.message
    assert "Full Disk Access" in found.message


def test_an_unreadable_folder_is_w113_and_hides_its_index(tmp_path):
    root = sample(tmp_path)
    (root / "raw/data").chmod(0)
    try:
        with unprivileged(root):
            assert ids(root, only=["W1", "W3"]) == ["W113"]
    finally:
        (root / "raw/data").chmod(0o755)


def test_a_pipe_in_the_place_of_a_file_is_w113(tmp_path):
    root = sample(tmp_path)
    os.mkfifo(root / "output/pipe")
    found = one(root, "W113")
    assert (found.path, found.severity) == ("output/pipe", "critical")


def test_the_inbox_may_hold_anything(tmp_path):
    root = sample(tmp_path)
    os.mkfifo(root / "inbox/pipe")
    (root / "inbox/away").symlink_to(tmp_path)
    write(root, "inbox/bytes.md", b"\xff\xfe")
    write(root, "inbox/Folder Of Things/x", "x")
    assert ids(root) == []


def test_invalid_yaml_is_one_w114_with_line_and_reason(tmp_path):
    root = sample(tmp_path)
    rel = "raw/data/2026-01-05-prices.md"
    write(root, rel, "---\ntitle: Prices\ntags: {a\n---\n\n# Prices\n")
    cite(root, rel)
    found = one(root, "W114")
    assert (found.severity, found.path) == ("critical", rel)
    assert found.line in (3, 4)
    assert found.message.startswith("Front matter is not valid YAML: ")


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        ("title: {{title}}\ncreated: x", 2, "{{title}}"),
        ("title: x\ntags: [a, {{date:YYYY-MM-DD}}]", 3, "{{date:YYYY-MM-DD}}"),
        ('title: <% tp.f("a: b") %>', 2, '<% tp.f("a: b") %>'),
        ("title: x\n<%* let a = 1 -%>", 3, "<%* let a = 1 -%>"),
        ("<%* let a = 1 -%>\ntitle: x", 2, "<%* let a = 1 -%>"),
        ("title: {% now %}", 2, "{% now %}"),
        ("title: <% good %>\ntags: {a", None, None),
        ('title: "{{title}}": x', None, None),
    ],
)
def test_a_placeholder_that_a_template_left_is_named_with_its_remedy(tmp_path, text, line, shown):
    root = sample(tmp_path)
    rel = "raw/data/2026-01-05-prices.md"
    write(root, rel, f"---\n{text}\n---\n\n# Prices\n")
    cite(root, rel)
    found = one(root, "W114")
    if shown is None:
        assert "placeholder" not in found.message
    else:
        assert found.line == line
        assert f"({shown} is a placeholder of a template: fill it in, or quote it)" in found.message


def test_a_key_written_twice_is_w115_at_its_second_line(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "volatility: warm\n", "volatility: warm\nvolatility: hot\n")
    found = one(root, "W115")
    assert (found.severity, found.target) == ("warning", "volatility")
    assert read(root, GREEN).split("\n")[found.line - 1] == "volatility: hot"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda data: b"\xef\xbb\xbf" + data, "byte order mark"),
        (lambda data: data.replace(b"\n", b"\r\n", 3), "mixed line endings"),
        (lambda data: data + b"a\x00b\n", "control bytes"),
        (lambda data: data + b"a\x1b[31mb\n", "control bytes"),
    ],
)
def test_odd_bytes_are_one_info(tmp_path, change, word):
    root = sample(tmp_path)
    write(root, GREEN, change((root / GREEN).read_bytes()))
    found = one(root, "W116")
    assert (found.severity, found.path) == ("info", GREEN)
    assert word in found.message


def test_several_kinds_of_odd_bytes_are_one_finding(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, b"\xef\xbb\xbf" + (root / GREEN).read_bytes() + b"a\x00b\r\n")
    assert "byte order mark, mixed line endings, control bytes" in one(root, "W116").message


def test_windows_line_ends_throughout_are_no_finding(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, (root / GREEN).read_bytes().replace(b"\n", b"\r\n"))
    assert ids(root) == []


def test_a_line_too_long_to_scan_is_w117(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, read(root, GREEN) + "x" * 70_000 + "\n")
    found = one(root, "W117")
    assert (found.severity, found.line) == ("warning", read(root, GREEN).count("\n"))


def test_a_long_line_in_a_source_is_only_noted(tmp_path):
    root = sample(tmp_path)
    write(root, HARVEST, read(root, HARVEST) + "x" * 70_000 + "\n")
    assert one(root, "W117").severity == "info"


def test_conflict_markers_are_w118(tmp_path):
    root = sample(tmp_path)
    text = read(root, GREEN)
    write(root, GREEN, conflict(text, "One.", "Two."))
    found = one(root, "W118")
    assert (found.severity, found.line) == ("critical", text.count("\n") + 1)


def test_conflict_markers_in_front_matter_are_w118_alone(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "volatility: warm\n", conflict("", "volatility: warm", "volatility: hot"))
    assert [item.rule for item in findings(root, only=["W1", "W2", "W7"])] == ["W118"]


def test_conflict_markers_in_an_index_are_w118(tmp_path):
    root = sample(tmp_path)
    write(
        root, "log.md", conflict(read(root, "log.md"), "## [2026-01-02] lint | a", "## [2026-01-02] lint | b")
    )
    assert ids(root) == ["W118"]


def test_conflict_markers_in_a_code_block_are_text(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, conflict(read(root, GREEN) + "\n```\n", "One.", "Two.") + "```\n")
    assert ids(root) == []


def test_conflict_markers_in_a_locked_source_are_only_noted(tmp_path):
    from llm_wiki.model.document import body_hash

    root = sample(tmp_path)
    write(root, HARVEST, conflict(read(root, HARVEST), "One.", "Two."))
    assert one(root, "W118").severity == "critical"
    digest = body_hash((root / HARVEST).read_bytes())
    entry = {
        "path": HARVEST,
        "content_sha256": digest,
        "admitted": "2026-01-02",
        "at": "2026-01-02T10:00:00Z",
    }
    write(root, ".librarian/raw-lock.jsonl", json.dumps(entry) + "\n")
    assert one(root, "W118").severity == "info"


def test_a_hub_run_reads_only_its_own_level(tmp_path):
    root = hub(tmp_path)
    drop(root / "topics/tea", GREEN, "title")
    write(root, "topics/tea/wiki/stray.txt", "x")
    (root / "topics/tea/schema.md").unlink()
    assert ids(root) == []


def test_an_output_needs_no_front_matter(tmp_path):
    root = full(tmp_path)
    write(root, REPORT, "# Harvest Calendar\n")
    reindex(root)
    assert ids(root) == []
