"""Verdicts on a training by its probes and its log, with remedies: pure functions of numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, variance
from typing import Any, Literal, Protocol

Line = Mapping[str, Any]
"""One line of metrics.jsonl."""
Probes = Mapping[str, float]
Severity = Literal["problem", "warning", "ok"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "ok")

MEANINGS = {
    "action_error": "squared error of actions decoded from the labels, over the variance of actions; 1 is useless",
    "train_action_error": "the same on as many training episodes; a far lower value means overfitting",
    "feature_vs_copy": "forward error on the image feature y over that of predicting no change; below 1 is good",
    "pose_vs_copy": "the same for the end-effector pose",
    "feature_std": "standard deviation of y over frames; near zero means collapse",
    "iou": "overlap of masks decoded from y with the true ones (intersection over union)",
    "next_iou": "the same for masks decoded from the predicted next y",
    "source_accuracy": "accuracy of a classifier of the source given the latent; 1 / number of sources is chance",
    "active_dimensions": "number of latent entries whose variance is above 0.01",
}
"""One line on each probe that every method may have."""

_GRADIENT, _ON_IDM = "gradient.", ".idm"
_FEWEST_LINES = 20  # of a log whose last two tenths can be compared
_LEAST_CHANGE = 0.05  # relative change of the loss between them that counts


@dataclass(frozen=True)
class Verdict:
    """One thing a user should know about a trained world model."""

    severity: Severity
    finding: str
    """A sentence with the number it rests on."""
    remedy: str = ""
    """What to try; empty where nothing is wrong."""


@dataclass(frozen=True)
class TrainingFacts:
    """Facts about a training that its numbers are compared with."""

    sources: int
    """Number of datasets."""
    latent: int
    """Entries d of the latent action."""
    grad_clip: float
    """Largest norm of the gradient; 0 if it is not clipped."""


class JudgedMethod(Protocol):
    """The part of a method's config that judges its own diagnostics."""

    @property
    def advice(self) -> Mapping[str, str]:
        """A further remedy, by the name of the probe that is out of order."""

    def own_verdicts(self, probes: Probes, *, has_problem: bool) -> Iterable[Verdict]:
        """Verdicts on the method's own diagnostics."""


def judge(lines: Sequence[Line], training: TrainingFacts, method: JudgedMethod) -> list[Verdict]:
    """All verdicts on a training by its metrics, the worst first."""
    probes, advice = last_probes(lines), method.advice
    found = [rule(probes, training, advice.get(name, "")) for name, rule in _RULES.items() if name in probes]
    found += [*_overfitting(probes), *_end_of_training(lines)]
    found += method.own_verdicts(probes, has_problem=_has_problem(found))
    found += _prediction(lines)
    # Clipping is usual in good runs too. It is worth a warning only beside a problem that it may have caused.
    found += _clipping(lines, training, "warning" if _has_problem(found) else "ok")
    return sorted(found, key=lambda one: SEVERITIES.index(one.severity))


def last_probes(lines: Sequence[Line]) -> Probes:
    """The values of the last validation; empty if there was none."""
    validations = [line for line in lines if line["split"] == "validation"]
    others = {"step", "split", "seconds"}
    return {name: value for name, value in validations[-1].items() if name not in others} if validations else {}


def graded(value: float, good: float, usable: float) -> Severity:
    """Severity of a value by two limits. It must stay below them if `good` is the lower one, and else reach them."""
    if good < usable:
        return "ok" if value < good else "warning" if value < usable else "problem"
    return "ok" if value >= good else "warning" if value >= usable else "problem"


def verdict(severity: Severity, finding: str, remedy: str) -> Verdict:
    """A verdict that names a remedy only where something is wrong."""
    return Verdict(severity, finding, "" if severity == "ok" else remedy)


def _has_problem(found: Sequence[Verdict]) -> bool:
    return any(one.severity == "problem" for one in found)


def _or(advice: str) -> str:
    return f", or {advice}" if advice else ""


def _action(probes: Probes, _: TrainingFacts, advice: str) -> Verdict:
    severity = graded(probes["action_error"], 0.02, 0.1)
    state = {
        "ok": "can be decoded from the latents",
        "warning": "can be decoded from the latents well enough for policies, but not for replay",
        "problem": "cannot be decoded from the latents, so relabelled data would mislead a policy",
    }[severity]
    remedy = f"train with more --steps, or give more target episodes{_or(advice)}"
    number = f"the held-out error is {probes['action_error']:.3g} of their variance"
    return verdict(severity, f"actions {state}: {number}", remedy)


def _image(probes: Probes, _: TrainingFacts, advice: str) -> Verdict:
    severity = graded(probes["feature_vs_copy"], 0.8, 1.0)
    use = {"ok": "used", "warning": "hardly used", "problem": "not used"}[severity]
    finding = f"the image is {use}: the error of the next y is {probes['feature_vs_copy']:.2f} times that of no change"
    remedy = f"train with more --steps{_or(advice)}; labels may still be good if the pose determines the action"
    return verdict(severity, finding, remedy)


def _spread(probes: Probes, _: TrainingFacts, advice: str) -> Verdict:
    severity = graded(probes["feature_std"], 0.1, 0.05)
    state = {"ok": "differs between frames", "warning": "hardly differs between frames", "problem": "has collapsed"}
    finding = f"the image feature {state[severity]}: the standard deviation of y is {probes['feature_std']:.2g}"
    return verdict(severity, finding, f"train with more --steps{_or(advice)}")


def _pose(probes: Probes, _: TrainingFacts, advice: str) -> Verdict:
    severity = graded(probes["pose_vs_copy"], 0.8, 1.0)
    state = {"ok": "well", "warning": "poorly", "problem": "badly"}[severity]
    finding = f"the next pose is predicted {state}: its error is {probes['pose_vs_copy']:.2f} times that of no change"
    remedy = f"train with more --steps, and look for jumps in the poses with glam data check{_or(advice)}"
    return verdict(severity, finding, remedy)


def _masks(probes: Probes, _: TrainingFacts, advice: str) -> Verdict:
    current_iou, next_iou = probes["iou"], probes["next_iou"]
    severity = graded(min(current_iou, next_iou), 0.8, 0.5)
    state = {"ok": "sharp", "warning": "blurred", "problem": "wrong" if current_iou >= 0.05 else "blank"}[severity]
    numbers = f"their IoU with the true ones is {current_iou:.2f}, one step ahead {next_iou:.2f}"
    remedy = "train with more --steps, or give images more weight: --set model.states.reconstruction_weight=..."
    return verdict(severity, f"decoded masks are {state}: {numbers}", remedy + _or(advice))


def _sources(probes: Probes, training: TrainingFacts, advice: str) -> Verdict:
    chance = 1 / training.sources
    severity = graded(probes["source_accuracy"], chance + 0.05, chance + 0.15)
    state = {"ok": "do not reveal", "warning": "partly reveal", "problem": "reveal"}[severity]
    numbers = f"a classifier is right in {probes['source_accuracy']:.0%}, by chance in {chance:.0%}"
    remedy = "train with more --steps; check that the poses of all sources use the same frame; masks (-o) hide the body"
    return verdict(severity, f"the latents {state} their source: {numbers}", remedy + _or(advice))


def _dimensions(probes: Probes, training: TrainingFacts, advice: str) -> Verdict:
    active, entries = probes["active_dimensions"], training.latent
    severity = graded(active, entries, entries / 2)
    remedy = "train with more --steps; if the others stay idle, use fewer: --set latent_per_arm=..."
    return verdict(severity, f"{active:.0f} of {entries} latent entries are active", remedy + _or(advice))


_RULES: dict[str, Callable[[Probes, TrainingFacts, str], Verdict]] = {
    "action_error": _action,
    "feature_vs_copy": _image,
    "feature_std": _spread,
    "pose_vs_copy": _pose,
    "iou": _masks,
    "source_accuracy": _sources,
    "active_dimensions": _dimensions,
}


def _overfitting(probes: Probes) -> Iterator[Verdict]:
    train, held_out = probes.get("train_action_error", 0.0), probes.get("action_error", 0.0)
    if train > 0 and held_out >= 0.02 and held_out >= 3 * train:
        finding = f"the action error on held-out target episodes is {held_out / train:.1f} x that on training episodes"
        yield Verdict("warning", finding, "give more target episodes: the model overfits to those that it has")


def _end_of_training(lines: Sequence[Line]) -> Iterator[Verdict]:
    """Compare the loss in the last tenth of the log with the tenth before; a change must exceed its noise."""
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
        yield Verdict("warning", f"the loss was rising: {when}", "lower the learning rate: --set fit.learning_rate=...")


def idm_gradients(lines: Sequence[Line]) -> dict[str, float]:
    """Share of each loss in the gradient on the IDM, where losses meet; medians over the later half of the log.

    A share is a norm over the sum of all norms. Empty for a method whose IDM is no part of its own.
    """
    logged = [line for line in lines if any(name.startswith(_GRADIENT) for name in line)]
    logged = logged[len(logged) // 2 :]
    names = [name for name in (logged[-1] if logged else ()) if name.startswith(_GRADIENT) and name.endswith(_ON_IDM)]
    norms = {name[len(_GRADIENT) : -len(_ON_IDM)]: median(line[name] for line in logged) for name in names}
    whole = sum(norms.values())
    return {term: norm / whole for term, norm in norms.items()} if whole else {}


def _prediction(lines: Sequence[Line]) -> Iterator[Verdict]:
    shares = idm_gradients(lines)
    if shares:
        predicted = sum(share for term, share in shares.items() if term.startswith("forward_"))
        others = max((term for term in shares if not term.startswith("forward_")), key=shares.__getitem__, default="")
        most = f", {others.replace('_', ' ')} for {shares[others]:.1%}" if others else ""
        yield Verdict(
            "ok", f"prediction of the next state accounts for {predicted:.1%} of the gradient on the IDM{most}"
        )


def _clipping(lines: Sequence[Line], training: TrainingFacts, severity: Severity) -> Iterator[Verdict]:
    norms, limit = [line["grad_norm"] for line in lines if "grad_norm" in line], training.grad_clip
    clipped = sum(norm > limit for norm in norms)
    if limit and norms and clipped >= 0.95 * len(norms):
        finding = f"the gradient was clipped to {limit:g} in {clipped} of {len(norms)} logged steps"
        remedy = "raise the limit, --set fit.grad_clip=..., or lower the weight of the largest loss term"
        yield verdict(severity, f"{finding}: its median norm was {median(norms):.0f}", remedy)
