from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from glam.reports.markup import Html, element, escaped, joined


class Reader(HTMLParser):
    """What a browser would see."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))

    def handle_data(self, data):
        self.text += data


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\0")))
def test_any_text_is_shown_as_it_is_and_adds_no_tags(text):
    reader = Reader()
    reader.feed(element("p", text, title=text))
    reader.close()
    assert reader.tags == [("p", [("title", text)])]
    assert reader.text == text


def test_markup_inside_markup_is_not_escaped_twice():
    assert element("p", element("b", "a & b"), " c") == "<p><b>a &amp; b</b> c</p>"


def test_attributes_may_be_bare_or_absent():
    assert element("video", controls=True, muted=False, aria_label="x", class_="film") == (
        '<video controls aria-label="x" class="film"></video>'
    )


def test_void_elements_have_no_end():
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_joined_parts_are_escaped_one_by_one():
    assert joined(["<", Html("<br>"), 3]) == "&lt;<br>3"
    assert isinstance(escaped("<"), Html)
