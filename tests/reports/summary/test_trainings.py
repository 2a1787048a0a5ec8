import re
from dataclasses import replace
from pathlib import Path

from tests.reports.summary.folders import lineage, policy, world_model

from glam.reports.markup import joined
from glam.reports.summary.trainings import policy_curves, world_model_parts


def titles(text):
    return re.findall(r"<figcaption>([^<]+)</figcaption>", text)


def test_every_loss_has_one_chart_with_a_line_for_each_policy_that_has_it():
    text = joined(policy_curves([policy(lineage("glam-o")), policy(lineage("mip"))]))
    assert titles(text) == ["Objective", "Loss: action", "Loss: latent"]
    figures = text.split("<figure")[1:]
    assert [figure.count('class="line line-') for figure in figures] == [2 + 2, 2 + 2, 1]  # with the legend
    assert figures[0].count("glam-o, seed 0") == figures[0].count("mip, seed 0") == 1


def test_a_policy_has_the_same_colour_in_every_chart():
    text = joined(policy_curves([policy(lineage("mip")), policy(lineage("glam-o"))]))
    assert 'class="line line-1"' in text.split("<figcaption>Loss: latent")[1]


def test_policies_of_the_same_name_and_seed_are_told_apart_by_their_folders():
    text = joined(policy_curves([policy(lineage(), Path("a/one")), policy(lineage(), Path("a/two"))]))
    assert "mip, seed 0 (one)" in text
    assert "mip, seed 0 (two)" in text


def test_probes_of_policies_are_curves_once_there_are_two():
    one = policy(lineage())
    probe = {"step": 100, "split": "validation", "seconds": 1.0, "action_error": 0.1}
    once = replace(one, lines=(*one.lines, probe))
    twice = replace(one, lines=(*one.lines, probe, probe | {"step": 200}))
    assert "action error" not in titles(joined(policy_curves([once])))
    assert "action error" in titles(joined(policy_curves([twice])))


def test_a_training_that_has_just_begun_has_no_curve_yet():
    assert titles(joined(policy_curves([replace(policy(lineage()), lines=())]))) == []


def test_a_world_model_is_shown_with_its_latent_space_images_and_curves():
    text = joined(world_model_parts(world_model()))
    assert titles(text)[:2] == ["By source", "By time in the episode"]
    assert {"Error of actions", "Overlap of decoded masks", "Objective", "Loss: alignment"} <= set(titles(text))
    assert text.count("<img") == 2
    assert "0 problems, 1 warning, 1 ok." in text
    assert text.index("The latents hint at their source.") < text.index("<summary>1 ok</summary>")
    assert "glam train" not in text  # the command stands behind the numbers


def test_without_its_datasets_a_world_model_has_curves_only():
    text = joined(world_model_parts(world_model(has_views=False)))
    assert "By source" not in text
    assert "<img" not in text
    assert "no image of the latent space" in text


def test_a_world_model_still_in_training_has_no_verdict():
    begun = replace(world_model(has_views=False), verdicts=(), lines=(), digest="")
    assert "problems" not in joined(world_model_parts(begun))
