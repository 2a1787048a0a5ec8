import re

import numpy as np
import pytest

from glam.reports.charts import PALETTE
from glam.reports.world_model_page import (
    SourceView,
    Subject,
    TransitionImages,
    coloured,
    principal_plane,
    summary,
    write_world_model_page,
)
from glam.world_models.verdicts import Verdict

VERDICTS = [Verdict("problem", "the image is <not> used", "more steps"), Verdict("ok", "all is well")]
MASKS = Subject("run & more", {"Method": "glam-o"}, ("front", "overhead"), ("red", "blue"))
RGB = Subject("run", {"Method": "glam"}, ("front",), ())


def probes(step):
    entries = {f"kl/{entry}": 1.0 for entry in range(8)} | {f"width/{entry}": 0.1 for entry in range(8)}
    return {"step": step, "split": "validation", "seconds": 1.0, "iou": 0.5, "next_iou": 0.4, "odd": 2.0} | entries


def log(validations=2):
    train = [
        {
            "step": step,
            "split": "train",
            "loss": 10.0 / step,
            "loss.action": 0.0,
            "grad_norm": 5.0,
            "learning_rate": 1e-3,
        }
        for step in range(50, 501, 50)
    ]
    return train + [probes(100 * number) for number in range(1, validations + 1)]


def view(name, channels, *, transitions=2, seed=0):
    rng = np.random.default_rng(seed)
    images = rng.random((4, channels, 16, 16), np.float32)
    shown = tuple(TransitionImages(f"episode {number}, frame 3", *images) for number in range(transitions))
    return SourceView(name, tuple(rng.normal(size=(30, 8)).astype(np.float32) for _ in range(3)), shown)


def written(tmp_path, subject=MASKS, lines=None, views=()):
    write_world_model_page(tmp_path / "page.html", subject, VERDICTS, lines or log(), views)
    return (tmp_path / "page.html").read_text()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    out = tmp_path_factory.mktemp("pages") / "page.html"
    write_world_model_page(out, MASKS, VERDICTS, log(), [view("kinova", 4), view("umi <2>", 4, seed=1)])
    return out


def test_the_page_begins_with_the_verdicts_and_their_remedies(page):
    text = page.read_text()
    assert "1 problem, 0 warnings, 1 ok." in text
    assert text.index("The image is &lt;not&gt; used.") < text.index("Try: more steps.") < text.index("All is well.")
    assert text.count("Try: ") == 1
    assert "<title>run &amp; more</title>" in text


def test_verdicts_are_counted():
    assert summary([]) == "0 problems, 0 warnings, 0 ok."
    kinds = ["problem", "warning", "warning", "ok"]
    assert summary([Verdict(kind, "x") for kind in kinds]) == "1 problem, 2 warnings, 1 ok."


def test_every_probe_is_listed_with_what_it_says(page):
    text = page.read_text()
    assert re.findall(r"<strong>(\w+)</strong>", text) == ["iou", "next_iou"]
    assert "Other measurements" in text
    assert '<td class="text">odd</td><td class="number">2</td>' in text
    assert "overlap of masks decoded from y" in text
    assert text.count('<td class="number">0.1</td>') == 8


def test_every_loss_and_every_known_probe_has_a_curve(page):
    titles = re.findall(r"<figcaption>([^<]+)</figcaption>", page.read_text())
    assert titles[:2] == ["By source", "By time in the episode"]
    assert {"Overlap of decoded masks", "Divergence from the prior", "Width of the posterior"} <= set(titles)
    assert {"Objective", "Loss: action", "Gradient before clipping", "Learning rate"} <= set(titles)


def test_gradients_of_losses_are_drawn_for_each_part_where_they_meet(tmp_path):
    pulls = {"gradient.action": 2.0, "gradient.action.idm": 2.0, "gradient.prior.idm": 1.0, "gradient.prior.head": 0.0}
    lines = [line | (pulls if line["split"] == "train" else {}) for line in log()]
    page = written(tmp_path, lines=lines)
    assert page.count("Gradients on idm") == page.count("Gradient before clipping") > 0
    assert "Gradients on head" not in page, "nothing ever pulls there"


def test_one_validation_makes_no_curve(tmp_path):
    text = written(tmp_path, lines=log(validations=1))
    assert "Probes during training" not in text
    assert "Overlap of decoded masks" not in text


def test_without_datasets_the_page_says_how_to_see_more(tmp_path):
    text = written(tmp_path)
    assert "--target" in text
    assert "<img" not in text
    assert "By source" not in text


def test_each_source_is_shown_by_name_with_its_images(page):
    text = page.read_text()
    assert "<h3>umi &lt;2&gt;</h3>" in text
    assert text.count("<img") == 4
    assert 'alt="episode 1, frame 3: recorded, decoded, next, predicted"' in text


def test_a_model_without_images_has_a_latent_space_all_the_same(tmp_path):
    text = written(tmp_path, views=[view("kinova", 4, transitions=0)])
    assert "By source" in text
    assert "Decoded images" not in text


def test_rgb_is_shown_as_it_is(tmp_path):
    red = np.zeros((3, 2, 2), np.float32)
    red[0] = 1.0
    assert (coloured(red, ()) == [255, 0, 0]).all()
    assert "<img" in written(tmp_path, RGB, views=[view("kinova", 3)])


def test_a_mask_lights_up_in_the_colour_of_its_object():
    masks = np.zeros((2, 1, 3), np.float32)
    masks[0, 0, 0], masks[1, 0, 1] = 1.0, 0.5
    whole, half, none = coloured(masks, ("red", "blue"))[0].astype(int)
    assert tuple(whole) == tuple(bytes.fromhex(PALETTE[0][1:]))
    assert none.max() == none.min() < 100
    assert half[2] == pytest.approx((none[2] + int(PALETTE[1][5:], 16)) / 2, abs=1)


def test_the_plane_holds_the_directions_of_greatest_variance():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    axes = rng.normal(size=(4000, 5)) * [0.1, 3.0, 0.2, 2.0, 0.1]
    plane, shares = principal_plane((axes @ turn + 7.0).astype(np.float32))
    assert np.abs(np.corrcoef(plane[:, 0], axes[:, 1])[0, 1]) > 0.999
    assert np.abs(np.corrcoef(plane[:, 1], axes[:, 3])[0, 1]) > 0.999
    np.testing.assert_allclose(plane.mean(0), 0.0, atol=1e-9)
    np.testing.assert_allclose(plane.std(0), [3.0, 2.0], rtol=0.05)
    np.testing.assert_allclose(shares, [9 / 13.06, 4 / 13.06], rtol=0.05)


def test_points_that_do_not_differ_have_a_plane_too():
    plane, shares = principal_plane(np.ones((10, 8), np.float32))
    assert not plane.any()
    assert shares == (0.0, 0.0)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_has_nothing_to_complain_about(browser, page, width, scheme):
    browser.open(page, width=width, scheme=scheme)
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_every_image_can_be_seen_in_a_browser(browser, page):
    browser.open(page, width=360)
    sizes = browser.run("[...document.images].map(one => [one.naturalWidth, one.naturalHeight, one.clientWidth > 200])")
    assert sizes == [[4 * 64 + 3 * 4, 2 * 64 + 4, True]] * 4
