"""HTML that cannot be broken by what it shows: plain strings are escaped, only `Html` passes as it is."""

import html
from collections.abc import Iterable

_VOID = frozenset({"meta", "link", "img", "br", "hr", "input"})


class Html(str):
    """Markup that is safe to put on a page unchanged."""

    __slots__ = ()


def escaped(value: object) -> Html:
    """`value` as text of a page; `Html` stays what it is."""
    return value if isinstance(value, Html) else Html(html.escape(str(value)))


def joined(parts: Iterable[object]) -> Html:
    """Parts one after the other."""
    return Html("".join(escaped(part) for part in parts))


def element(tag: str, /, *children: object, **attributes: str | float | bool) -> Html:
    """One element. The attribute `class_` is `class`, `aria_label` is `aria-label`; True is bare, False is absent."""
    opening = Html("".join(_attribute(name, value) for name, value in attributes.items()))
    if tag in _VOID:
        return Html(f"<{tag}{opening}>")
    return Html(f"<{tag}{opening}>{joined(children)}</{tag}>")


def _attribute(name: str, value: object) -> str:
    name = name.rstrip("_").replace("_", "-")
    if value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
