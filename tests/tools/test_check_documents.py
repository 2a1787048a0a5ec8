"""Commands, options, targets and links that a document names must exist."""

from textwrap import indent

import pytest

import check_documents

HELP = {
    (): "usage: glam [-h] {collect,data}\n -h, --help\n",
    ("collect",): "usage: glam collect [-h] TASK\n --episodes INT --out PATH --preset {cpu,paper}\n",
    ("data",): "usage: glam data [-h] {check,view}\n",
    ("data", "check"): "usage: glam data check [-h] DIR\n --jobs INT\n",
}


@pytest.fixture
def findings(tmp_path, monkeypatch):
    """What is found in a README with this text, beside a Makefile, a LICENSE and a made-up command line."""
    monkeypatch.setattr(check_documents, "help_text", HELP.__getitem__)
    (tmp_path / "Makefile").write_text("RUN := x\ntest: check\n\t@echo\ntest-all:\n\t@echo\n")
    (tmp_path / "LICENSE").touch()
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "speed.py").write_text('parser.add_argument("--rounds")\n')

    def find(text: str) -> list[str]:
        (tmp_path / "README.md").write_text(text)
        return list(check_documents.findings_in(tmp_path / "README.md", tmp_path))

    return find


def block(*lines: str) -> str:
    return "Text.\n\n```sh\n" + "\n".join(lines) + "\n```\n"


def test_a_document_that_tells_the_truth_has_no_findings(findings):
    text = block(
        "make test", "make test-all WORKERS=2  # both", "glam collect lift --episodes 5 \\", "  --out demo", "ls demo"
    )
    text += "Try `glam COMMAND --help`, `python -m benchmarks.speed --rounds 3`, or `glam\ncollect lift --out demo`."
    text += block("$ glam data check demo --jobs=2") + "[licence](LICENSE) [web](https://example.org/x) [here](#part)"
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (block("make tset"), "make has no target tset"),
        (block("glam juggle --fast"), "there is no command glam juggle"),
        (block("glam data chekc demo"), "there is no command glam data chekc"),
        (block("glam collect lift --episode 5"), "glam collect has no option --episode"),
        (block("glam data check demo \\", "  --deep"), "glam data check has no option --deep"),
        (indent(block("glam juggle"), "  "), "there is no command glam juggle"),
        ("Text with `glam collect --episode 5`.", "glam collect has no option --episode"),
        ("Text with `make\ntset`.", "make has no target tset"),
        (block("python benchmarks/sped.py"), "there is no program benchmarks/sped.py"),
        ("Text with `python -m benchmarks.speed --turns 3`.", "benchmarks/speed.py has no option --turns"),
        ("[a page](docs/gone.md#part)", "the link docs/gone.md leads nowhere"),
    ],
)
def test_what_does_not_exist_is_found(findings, text, finding):
    assert findings(text) == [finding]


def test_the_real_command_line_offers_its_commands():
    assert "collect" in check_documents.subcommands(check_documents.help_text(()))
