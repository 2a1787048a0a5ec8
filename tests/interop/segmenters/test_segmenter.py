"""Hints grow without changing."""

from glam.interop.segmenters.segmenter import OFF, ON, Hint


def test_more_points_make_another_hint():
    click = Hint(((1.0, 2.0),), (ON,))
    more = click.also(OFF, (3.0, 4.0), (5.0, 6.0))
    assert more.points == ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))
    assert more.kinds == (ON, OFF, OFF)
    assert click.kinds == (ON,)
    assert click.also(OFF).points == click.points
