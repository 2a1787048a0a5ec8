import xml.etree.ElementTree as ET

from glam.reports.markup import element
from results.document import Figures, Section, Table, Words, html, images, markdown, short_markdown
from results.images import DocumentImage

SECTIONS = [
    Section("First <one>", (Words("a < b | c", is_headline=True), Figures((element("svg"),), "Charts", "a note"))),
    Section("Second", (Table(("a", "b | c"), (("1", "x < y"), ("not run", "2")), "A table"),)),
]


def test_markdown_has_words_and_tables_and_cannot_be_broken_by_what_they_say():
    assert markdown("Title", "Lead.", SECTIONS) == (
        "# Title\n\nLead.\n\n## First <one>\n\na &lt; b \\| c\n\n## Second\n\n**A table**\n\n"
        "| a | b \\| c |\n| --- | --- |\n| 1 | x &lt; y |\n| not run | 2 |\n"
    )


def test_a_page_has_everything_and_links_to_its_sections():
    body = html("Title", "Lead.", SECTIONS).partition("<body>")[2].removesuffix("</html>\n")
    tree = ET.fromstring(f"<body>{body}")
    assert [heading.text for heading in tree.iter("h2")] == ["First <one>", "Second"]
    targets = [link.get("href") for link in tree.iter("a")]
    assert targets == [f"#{part.get('id')}" for part in tree.iter("section")]
    assert [cell.text for cell in tree.iter("td")] == ["1", "x\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}y",
                                                       "not\N{NO-BREAK SPACE}run", "2"]  # fmt: skip
    assert len(list(tree.iter("svg"))) == 1
    assert [part.get("class") for part in tree.iter("p")][-1] == "note"


def test_a_long_cell_may_be_broken():
    long = "a sentence that is longer than a rate"
    assert long in html("t", "l", [Section("s", (Table(("a",), ((long,),)),))])


IMAGE = DocumentImage("one.svg", "Bars | of <all>", b"<svg/>")
TOLD = [
    Section("First", (Words("Found.", is_headline=True), Words("Why."), Figures((), images=(IMAGE,)),
                      Table(("a",), (("1",),)))),
]  # fmt: skip


def test_short_markdown_has_headlines_and_images():
    assert short_markdown("Title", "Lead.", TOLD) == (
        "# Title\n\nLead.\n\n## First\n\nFound.\n\n![Bars \\| of &lt;all>](images/results/one.svg)\n"
    )
    assert list(images(TOLD)) == [IMAGE]


def test_a_section_without_headlines_has_its_words_on_the_short_page():
    assert "Not run yet." in short_markdown("t", "l", [Section("s", (Words("Not run yet."),))])


def test_tables_and_figures_may_be_folded():
    folded = Section("s", (Table(("a",), (("1",),), "All numbers"), Figures((element("svg"),), "More", is_folded=True)))
    shown = html("t", "l", [folded])
    assert shown.count("<details><summary>") == 2
    assert "<summary>All numbers</summary>" in shown
    assert "<details>" not in html("t", "l", [Section("s", (Table(("a",), (("1",),), is_open=True),))])
