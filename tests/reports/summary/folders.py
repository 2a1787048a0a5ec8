"""Evaluations, trainings and replays as a report reads them, made up."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from glam.evaluation.evaluations import Evaluation, FilmedEpisode, RolloutRecord, film_name
from glam.evaluation.lineage import DataSource, Lineage
from glam.evaluation.motion import Smoothness
from glam.reports.films import encode_film
from glam.reports.summary.material import PolicyTraining, ReplayFolder, ReplayRecord, ReplaySummary, WorldModelTraining
from glam.reports.world_model_page import SourceView, Subject, TransitionImages
from glam.world_models.verdicts import Verdict
from glam_client.action_chunking import ActionChunking

FIRST_SEED = 50_000_000
STAGES = ("place", "grasp", "place", "release", "reach")
LABELLED = DataSource("b0" * 32, "kinova", "kinova", is_labelled=True, episodes=100)
UNLABELLED = DataSource("c3" * 32, "umi", "umi", is_labelled=False, episodes=400)
VERSIONS = {"glam": "0.1.0", "mujoco": "4.0.0"}


def lineage(name: str = "mip", seed: int = 0, data: Sequence[DataSource] = (LABELLED,)) -> Lineage:
    """Of a policy on a world model if its name is that of one."""
    is_latent = name.startswith("glam")
    return Lineage(
        method="latent" if is_latent else name,
        seed=seed,
        digest=f"{name}-{seed}-{len(data)}-{data[0].episodes if data else 0}",
        recipe=f"{name}-{len(data)}-{data[0].episodes if data else 0}",
        inputs={"target": LABELLED.digest},
        data=tuple(data),
        world_model=name if is_latent else "",
        command=("/bin/glam", "train-policy", name, "--out", "runs/a b"),
        versions=VERSIONS,
    )


def records(outcomes: Sequence[bool], method: str = "mip", task: str = "stack-two") -> tuple[RolloutRecord, ...]:
    """Consecutive scenes; failures go through the stages in turn."""
    failures = iter(range(len(outcomes)))
    rows = []
    for number, is_success in enumerate(outcomes):
        stage = "none" if is_success else STAGES[next(failures) % len(STAGES)]
        rows.append(
            RolloutRecord(
                task=task,
                method=method,
                embodiment="kinova",
                training_seed=0,
                split="validation",
                test_seed=FIRST_SEED + number,
                is_success=is_success,
                steps=60 + number % 7 if is_success else 135,
                failed_stage=stage,
                failure="" if is_success else "not done after 135 steps",
                smoothness=(Smoothness(-16.0 - 0.1 * (number % 5), 0.003 + 0.0001 * (number % 3)),),
            )
        )
    return tuple(rows)


def evaluation(
    outcomes: Sequence[bool], behind: Lineage | None = None, root: Path = Path("eval"), task: str = "stack-two"
) -> Evaluation:
    """A folder without films."""
    made = behind or lineage()
    return Evaluation(
        root=root,
        records=tuple(replace(record, training_seed=made.seed) for record in records(outcomes, made.method, task)),
        first_seed=FIRST_SEED,
        chunking=ActionChunking(),
        lineage=made,
        films=(),
        sha256="e" * 64,
        seconds=21.0,
        command=("/bin/glam", "evaluate", "--policy", "runs/mip"),
        versions=VERSIONS,
        machine={"python": "3.11.7"},
    )


def filmed(folder: Path, one: Evaluation, count: int = 3, side: int = 32) -> Evaluation:
    """With films of the first successes and failures, written to `folder`."""
    films = []
    for is_success in (True, False):
        chosen = [record for record in one.records if record.is_success == is_success][:count]
        for record in chosen:
            path = folder / film_name(record)
            path.parent.mkdir(parents=True, exist_ok=True)
            frames = np.random.default_rng(record.test_seed).integers(0, 255, (12, side, 2 * side, 3), np.uint8)
            path.write_bytes(encode_film(frames, 10).mp4)
            films.append(FilmedEpisode(record, path))
    return replace(one, root=folder, films=tuple(films))


def _lines(keys: Sequence[str], steps: Sequence[int] = range(50, 501, 50)) -> list[dict[str, object]]:
    common = {"grad_norm": 2.0, "learning_rate": 1e-3, "split": "train"}
    return [{"step": step, "seconds": float(step)} | dict.fromkeys(keys, 10.0 / step) | common for step in steps]


def _record(method: str, seed: int) -> dict[str, object]:
    return {
        "config": {"method": method, "fit": {"steps": 500}},
        "seed": seed,
        "inputs": {"target": LABELLED.digest},
        "command": ["/bin/glam", "train", method],
        "versions": VERSIONS,
        "machine": {"python": "3.11.7"},
    }


def policy(behind: Lineage, root: Path = Path("policy")) -> PolicyTraining:
    """A finished training."""
    keys = ["loss", "loss.action", *(["loss.latent"] if behind.world_model else [])]
    return PolicyTraining(root, _record(behind.method, behind.seed), tuple(_lines(keys)), behind.digest, lineage=behind)


def world_model(root: Path = Path("world-model"), *, has_views: bool = True) -> WorldModelTraining:
    """A finished training with two probes."""
    rng = np.random.default_rng(0)
    probes = [
        {"step": step, "split": "validation", "seconds": 1.0, "action_error": 0.01, "iou": 0.8, "next_iou": 0.7}
        for step in (250, 500)
    ]
    images = TransitionImages("episode 3, frame 17", *rng.random((4, 4, 16, 16), np.float32))
    views = tuple(
        SourceView(name, tuple(rng.normal(size=(30, 8)).astype(np.float32) for _ in range(2)), (images,))
        for name in ("kinova", "umi")
    )
    return WorldModelTraining(
        root,
        _record("glam-o", 0),
        (*_lines(["loss", "loss.alignment"]), *probes),
        "612e" * 16,
        subject=Subject(
            "glam-o", {"Method": "glam-o", "Command": "glam train"}, ("front", "overhead"), ("red", "blue")
        ),
        verdicts=(Verdict("warning", "the latents hint at their source", "more steps"), Verdict("ok", "all is well")),
        views=views if has_views else (),
    )


def replayed(root: Path, successes: int = 19, films: int = 1) -> ReplayFolder:
    """A replay of twenty episodes."""
    paths = [root / f"episode-{number:06d}.mp4" for number in range(films)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_film(np.zeros((8, 32, 32, 3), np.uint8), 10).mp4)
    record = ReplayRecord(
        config={"task": "stack-two", "embodiment": "kinova", "episodes": 20, "films": films},
        world_model="612e" * 16,
        dataset=UNLABELLED.digest,
        summary=ReplaySummary(20.0, float(successes), 9.1, 5.06, 1.4, 0.97),
        source="umi",
        command=("/bin/glam", "replay", "--source", "umi"),
        versions=VERSIONS,
    )
    return ReplayFolder(root, record, "f" * 64, tuple(paths))
