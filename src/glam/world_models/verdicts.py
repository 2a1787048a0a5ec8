"""What probes and the log of a training mean, and what to do about it: pure functions of numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, variance
from typing import Any, Literal

Line = Mapping[str, Any]
"""One line of metrics.jsonl."""
Probes = Mapping[str, float]
Severity = Literal["problem", "warning", "ok"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "ok")

MEANINGS = {
    "action_error": "IDM mean through the action decoder, squared error over the variance of actions; 1 is useless",
    "train_action_error": "the same on as many training episodes; far lower means overfitting",
    "feature_vs_copy": "forward error on the image feature y over that of predicting no change; below 1 wanted",
    "pose_vs_copy": "the same for the end-effector pose",
    "feature_std": "spread of y over frames; near zero means collapse",
    "iou": "overlap of masks decoded from y with the true ones (intersection over union)",
    "next_iou": "the same for masks decoded from the predicted next y",
    "source_accuracy": "how often a classifier tells the source from the latent; 1 / number of sources is chance",
    "active_dimensions": "latent entries whose mean moves (variance above 0.01)",
    "codes_used": "codes in use, of the token that uses fewest",
    "kl": "divergence of a latent entry from the prior, in nats",
    "width": "mean standard deviation of the posterior of a latent entry",
}
"""What each probe says; of one that is measured for each latent entry, such as `kl/3`, by the name before the slash."""

_FLOOR_SLACK = 1.1  # a width this close to its floor is held there
_FEWEST_LINES = 20  # of a log whose last tenths can be compared
_LEAST_CHANGE = 0.05  # of the loss between them that is worth a word


@dataclass(frozen=True)
class Verdict:
    """One thing a user should know about a trained world model."""

    severity: Severity
    finding: str
    """A sentence with the number it rests on."""
    remedy: str = ""
    """What to try; empty where nothing is wrong."""


@dataclass(frozen=True)
class Yardsticks:
    """What the numbers of a run are measured against."""

    sources: int
    latent: int
    """Entries d of the latent action."""
    is_aligned: bool
    """Whether the IDM is pulled towards an action encoder."""
    is_encoder_aligned: bool
    """Whether the gradient of that reaches the image encoder."""
    width_floor: float
    """Least standard deviation of a posterior."""
    grad_clip: float
    """Longest gradient; 0 where none is clipped."""
    codes: int = 0
    """Codes of each token; 0 for methods without codes."""


def judge(lines: Sequence[Line], yardsticks: Yardsticks) -> list[Verdict]:
    """All verdicts on a training by its metrics, the worst first."""
    probes = last_probes(lines)
    found = [rule(probes, yardsticks) for name, rule in _RULES.items() if name in probes]
    found += [*_overfitting(probes), *_end_of_training(lines)]
    # What is usual in good runs too is worth a warning only where something is wrong that it may have caused.
    severity: Severity = "warning" if any(verdict.severity == "problem" for verdict in found) else "ok"
    found += [*_widths(probes, yardsticks, severity), *_clipping(lines, yardsticks, severity)]
    return sorted(found, key=lambda verdict: SEVERITIES.index(verdict.severity))


def last_probes(lines: Sequence[Line]) -> Probes:
    """The values of the last validation; empty when there was none."""
    validations = [line for line in lines if line["split"] == "validation"]
    passed_over = {"step", "split", "seconds"}
    return {name: value for name, value in validations[-1].items() if name not in passed_over} if validations else {}


def _graded(value: float, good: float, usable: float) -> Severity:
    """`good` and `usable` are limits: of what must stay below them if good is the lower one, else of what must not."""
    if good < usable:
        return "ok" if value < good else "warning" if value < usable else "problem"
    return "ok" if value >= good else "warning" if value >= usable else "problem"


def _verdict(severity: Severity, finding: str, remedy: str) -> Verdict:
    return Verdict(severity, finding, "" if severity == "ok" else remedy)


def _action(probes: Probes, yardsticks: Yardsticks) -> Verdict:
    severity = _graded(probes["action_error"], 0.02, 0.1)
    state = {
        "ok": "can be read from the latents",
        "warning": "can be read from the latents well enough for policies, not for replay",
        "problem": "cannot be read from the latents, and relabelled data will mislead",
    }[severity]
    remedy = "train with more --steps, or give more target episodes"
    if not yardsticks.is_aligned:
        remedy += ", or choose a method with alignment, such as glam-o"
    number = f"the held-out error is {probes['action_error']:.3g} of their variance"
    return _verdict(severity, f"actions {state}: {number}", remedy)


def _image(probes: Probes, yardsticks: Yardsticks) -> Verdict:
    severity = _graded(probes["feature_vs_copy"], 0.8, 1.0)
    use = {"ok": "used", "warning": "hardly used", "problem": "not used"}[severity]
    finding = f"the image branch is {use}: forward error on y is {probes['feature_vs_copy']:.2f} x persistence"
    remedy = f"{_more_for_the_image(yardsticks)}; labels may be good all the same where the pose tells the action"
    return _verdict(severity, finding, remedy)


def _spread(probes: Probes, yardsticks: Yardsticks) -> Verdict:
    severity = _graded(probes["feature_std"], 0.1, 0.05)
    state = {"ok": "tells frames apart", "warning": "hardly tells frames apart", "problem": "has collapsed"}[severity]
    finding = f"the image feature {state}: y spreads by {probes['feature_std']:.2g} over frames"
    return _verdict(severity, finding, _more_for_the_image(yardsticks))


def _more_for_the_image(yardsticks: Yardsticks) -> str:
    detached = ", or keep the alignment's gradient out of the image encoder, as the method glam-o-detached does"
    return f"train with more --steps{detached if yardsticks.is_encoder_aligned else ''}"


def _pose(probes: Probes, _: Yardsticks) -> Verdict:
    severity = _graded(probes["pose_vs_copy"], 0.8, 1.0)
    state = {"ok": "well", "warning": "poorly", "problem": "worse than by no change"}[severity]
    finding = f"the next pose is predicted {state}: its error is {probes['pose_vs_copy']:.2f} x persistence"
    return _verdict(severity, finding, "train with more --steps, and look for jumps in the poses with glam data check")


def _masks(probes: Probes, _: Yardsticks) -> Verdict:
    now, later = probes["iou"], probes["next_iou"]
    severity = _graded(min(now, later), 0.8, 0.5)
    state = {"ok": "sharp", "warning": "blurred", "problem": "wrong" if now >= 0.05 else "blank"}[severity]
    finding = f"decoded masks are {state}: their IoU with the true ones is {now:.2f}, one step ahead {later:.2f}"
    remedy = "train with more --steps, or give images more weight: --set model.states.reconstruction_weight=..."
    return _verdict(severity, finding, remedy)


def _sources(probes: Probes, yardsticks: Yardsticks) -> Verdict:
    chance = 1 / yardsticks.sources
    severity = _graded(probes["source_accuracy"], chance + 0.05, chance + 0.15)
    state = {"ok": "hide their source", "warning": "hint at their source", "problem": "tell their source"}[severity]
    finding = (
        f"the latents {state}: a classifier is right in {probes['source_accuracy']:.0%}, by chance in {chance:.0%}"
    )
    remedy = "train with more --steps; see that the poses of all sources share one frame; masks (-o) hide the body"
    return _verdict(severity, finding, remedy)


def _dimensions(probes: Probes, yardsticks: Yardsticks) -> Verdict:
    active, entries = probes["active_dimensions"], yardsticks.latent
    severity = _graded(active, entries, entries / 2)
    remedy = "train with more --steps; if the others stay idle, fewer will do: --set latent_per_arm=..."
    return _verdict(severity, f"{active:.0f} of {entries} latent entries are active", remedy)


def _codes(probes: Probes, yardsticks: Yardsticks) -> Verdict:
    severity = _graded(probes["codes_used"], 0.75 * yardsticks.codes, 0.5 * yardsticks.codes)
    finding = f"every token uses at least {probes['codes_used']:.0f} of its {yardsticks.codes} codes"
    remedy = "train with more --steps, or replace dead codes more often: --set model.replace_every=..."
    return _verdict(severity, finding, remedy)


_RULES: dict[str, Callable[[Probes, Yardsticks], Verdict]] = {
    "action_error": _action,
    "feature_vs_copy": _image,
    "feature_std": _spread,
    "pose_vs_copy": _pose,
    "iou": _masks,
    "source_accuracy": _sources,
    "active_dimensions": _dimensions,
    "codes_used": _codes,
}


def _overfitting(probes: Probes) -> Iterator[Verdict]:
    seen, unseen = probes.get("train_action_error", 0.0), probes.get("action_error", 0.0)
    if seen > 0 and unseen >= 0.02 and unseen >= 3 * seen:
        finding = f"the action error on unseen target episodes is {unseen / seen:.1f} x that on training episodes"
        yield Verdict("warning", finding, "give more target episodes: those there are were learnt by heart")


def _end_of_training(lines: Sequence[Line]) -> Iterator[Verdict]:
    """Compare the loss of the last tenth of the log with the tenth before; a change must exceed its own noise."""
    losses = [line["loss"] for line in lines if line["split"] == "train"]
    if len(losses) < _FEWEST_LINES:
        return
    tenth = len(losses) // 10
    before, last = losses[-2 * tenth : -tenth], losses[-tenth:]
    change, noise = fmean(last) - fmean(before), ((variance(before) + variance(last)) / tenth) ** 0.5
    share = abs(change) / (abs(fmean(before)) or 1.0)
    when = f"by {share:.0%} in the last tenth of the training"
    if share <= _LEAST_CHANGE or abs(change) <= 2 * noise:
        yield Verdict("ok", f"the loss has settled: it changed {when}")
    elif change < 0:
        yield Verdict("warning", f"the loss was still falling: {when}", "train with more --steps")
    else:
        yield Verdict("warning", f"the loss was rising: {when}", "lower the rate: --set fit.learning_rate=...")


def _widths(probes: Probes, yardsticks: Yardsticks, severity: Severity) -> Iterator[Verdict]:
    widths = [value for name, value in probes.items() if name.startswith("width/")]
    held, floor = sum(width < _FLOOR_SLACK * yardsticks.width_floor for width in widths), yardsticks.width_floor
    if yardsticks.is_aligned and held > len(widths) / 2:
        where = f"the posterior widths of {held} of {len(widths)} latent entries are at their floor {floor:.2g}"
        remedy = "raise the lower end of the widths, such as from -6 to -4: --set model.parts.log_variance=[-4,2]"
        yield _verdict(severity, f"{where}, which so sets the weight of the alignment", remedy)


def _clipping(lines: Sequence[Line], yardsticks: Yardsticks, severity: Severity) -> Iterator[Verdict]:
    norms, limit = [line["grad_norm"] for line in lines if "grad_norm" in line], yardsticks.grad_clip
    clipped = sum(norm > limit for norm in norms)
    if limit and norms and clipped >= 0.95 * len(norms):
        finding = f"the gradient was clipped to {limit:g} in {clipped} of {len(norms)} logged steps"
        remedy = "allow more, --set fit.grad_clip=..., or lower the weight of the largest loss term"
        yield _verdict(severity, f"{finding}: its median norm was {median(norms):.0f}", remedy)
