import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports.summary.folders import LABELLED, UNLABELLED, evaluation, lineage

from glam.reports.charts import WIDTH
from glam.reports.markup import joined
from glam.reports.summary.results import headline, result_parts
from glam.reports.summary.variants import task_comparisons

BOTH = (LABELLED, UNLABELLED)
BEST, POOR = [True] * 133 + [False] * 67, [False] * 113 + [True] * 87


def compared(*evaluations):
    (found,) = task_comparisons(evaluations)
    return found


def two():
    return compared(evaluation(BEST, lineage("glam-o", 0, BOTH), Path("a")), evaluation(POOR, root=Path("b")))


def shown(found):
    styles = {variant.name: place for place, variant in enumerate(found.variants)}
    return ET.fromstring(f"<main>{joined(result_parts(found, styles))}</main>")


def texts(page, name):
    return ["".join(node.itertext()) for node in page.iter() if name in (node.get("class") or "").split()]


def figure(page, title):
    return next(node for node in page.iter("figure") if node.find("figcaption").text == title)


def test_one_comparison_has_the_sentence_of_glam_compare():
    assert headline(two()) == (
        "stack-two: glam-o is better than mip: +23.0 points, 95 % interval +13.3 to +32.1 (glam-o 133/200, mip 87/200);"
        " in the same 200 scenes glam-o succeeds in 113 where mip fails, and fails in 67 where mip succeeds."
    )


def test_a_difference_that_is_not_significant_is_called_so():
    close = compared(evaluation(BEST), evaluation([*BEST[1:], False], lineage("glam-o"), Path("b")))
    assert "no significant difference" in headline(close)


def test_of_many_methods_the_headline_says_whom_the_best_beats():
    given = [
        evaluation([True] * count + [False] * (200 - count), lineage(name), Path(name))
        for name, count in (("glam-o", 186), ("retarget", 180), ("glam", 150), ("mip", 90))
    ]
    assert headline(compared(*given)) == (
        "stack-two: glam-o succeeds in 186 of 200 (93.0 %, 95 % interval 88.6 to 95.8), more often than glam and mip;"
        " no significant difference to retarget."
    )


def test_a_single_method_has_a_rate_and_no_comparison():
    alone = compared(evaluation(POOR))
    assert headline(alone) == "stack-two: mip succeeds in 87 of 200 (43.5 %, 95 % interval 36.8 to 50.4)."
    assert texts(shown(alone), "figure") == ["43.5 %"]
    assert "Difference of" not in "".join(shown(alone).itertext())


def test_tiles_show_both_rates_and_the_difference():
    page = shown(two())
    assert texts(page, "figure") == ["66.5 %", "43.5 %", "+23.0 points"]
    assert [node.get("class") for node in page.iter("div") if "tile" in (node.get("class") or "").split()] == [
        "tile tone-0",
        "tile tone-1",
        "tile ok",
    ]


def test_success_is_drawn_with_data_and_rate():
    chart = figure(shown(two()), "Success with 95 % intervals")
    assert texts(chart, "row-text") == ["66.5 %", "43.5 %"]
    assert [node.find("title").text for node in chart.iter("text") if node.get("class") == "row-name"] == [
        "glam-o, 100 labelled + 400 unlabelled",
        "mip, 100 labelled",
    ]


def test_the_difference_is_drawn_with_its_interval():
    chart = figure(shown(two()), "Difference of glam-o")
    assert texts(chart, "row-text") == ["+23.0 [+13.3, +32.1]"]


def test_failures_are_drawn_by_stage():
    chart = figure(shown(two()), "Where episodes fail")
    assert texts(chart, "row-text") == ["67 of 200 fail", "113 of 200 fail"]
    parts = [node for node in chart.iter("rect") if "part" in node.get("class").split()]
    shares = [float(part.find("title").text.split(": ")[1]) for part in parts[:5]]
    assert parts[0].find("title").text == "success: 66.5"
    assert sum(shares) == pytest.approx(100.0, abs=0.01)
    # of 67 failures two fifths fail to place: the stages come in turn
    assert next(part for part in parts if part.get("class") == "part stage-place").find("title").text == (
        "fails to place: 13.5"
    )


def test_every_training_has_a_dot_and_the_table_tells_their_spread():
    seeds = [evaluation([True] * count + [False] * (10 - count), lineage("mip", seed), Path(f"eval-{seed}"))
             for seed, count in enumerate((4, 5, 9))]  # fmt: skip
    page = shown(compared(*seeds))
    dots = [node for node in page.iter("circle") if node.get("class") == "each" and float(node.get("cy")) > 10]
    rates = [(float(dot.get("cx")) - 10) / (WIDTH - 20) for dot in dots]
    assert rates == pytest.approx([0.4, 0.5, 0.9], abs=1e-3)
    assert "mean 60.0, deviation 26.5" in "".join(page.itertext())
    assert "18 of 30" in "".join(page.itertext())


def test_motion_is_that_of_successes_alone():
    found = two()
    chart = figure(shown(found), "Steps to success")
    assert texts(chart, "row-text") == ["63", "63"]
    jerk = figure(shown(found), "Jerk score")
    assert texts(jerk, "row-text") == ["\N{MINUS SIGN}16.2", "\N{MINUS SIGN}16.2"]
    assert re.match(r"3\.\d\d", texts(figure(shown(found), "FFT score"), "row-text")[0])


def test_a_method_without_success_has_no_motion_to_show():
    never = compared(evaluation([False] * 5), evaluation([True] * 5, lineage("glam-o"), Path("b")))
    assert texts(figure(shown(never), "Steps to success"), "row-text") == ["62"]
    hopeless = shown(compared(evaluation([False] * 5)))
    assert "Steps to success" not in "".join(hopeless.itertext())


def test_a_hand_that_stood_still_has_no_smoothness():
    still = evaluation([True] * 5)
    still = replace(still, records=tuple(replace(record, smoothness=()) for record in still.records))
    words = "".join(shown(compared(still)).itertext())
    assert "Steps to success" in words
    assert "Jerk score:" in words  # the note
    assert not [node for node in shown(compared(still)).iter("figcaption") if node.text == "Jerk score"]


def test_every_card_links_to_what_is_behind_it():
    page = shown(two())
    cards = [node for node in page.iter("div") if node.get("class") == "card"]
    assert len(cards) == 3
    for card in cards:
        assert [link.text for link in card.iter("a")] == ["evaluation of glam-o, seed 0", "evaluation of mip, seed 0"]
