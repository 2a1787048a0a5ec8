from itertools import pairwise

from toys import SimulatedCores

from glam.bench.demo import DEMONSTRATIONS, POLICIES, DemoConfig
from glam.bench.run import RunStore, ordered
from glam.bench.running import run_all
from glam.bench.runs import DataRun
from glam.core.simulated import FIRST_VALIDATION_SEED


def test_seeds_share_no_demonstration_and_none_is_a_trial():
    sets = [run for seed in range(3) for run in ordered(DemoConfig(seed=seed).runs) if isinstance(run, DataRun)]
    spans = sorted((data.seed, data.seed + data.episodes) for data in sets)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert spans[-1][1] < FIRST_VALIDATION_SEED


def test_all_policies_have_the_same_labels_steps_and_trials():
    trials = DemoConfig().evaluations
    assert trials.keys() == POLICIES.keys()
    assert len({run.policy.target for run in trials.values()}) == 1
    assert len({run.settings for run in trials.values()}) == 1
    assert len({run.policy.settings.fit for run in trials.values()}) == 1


def test_the_longest_chain_of_runs_is_started_first():
    kinds = [run.kind for run in ordered(DemoConfig().runs)]
    assert kinds[:5] == ["data", "data", "world-model", "policy", "evaluation"]


def test_both_cores_work_to_the_end(tmp_path):
    """With the seconds of each stage on one core in docs/results/demo.json; retarget learns in as many steps as mip."""
    training = {"glam-o": 67.0, "mip": 49.0, "retarget": 49.0}
    config = DemoConfig()
    policies = {run.policy: training[name] for name, run in config.evaluations.items()}

    def seconds(run):
        others = {"data": 0.084 * getattr(run, "episodes", 0), "world-model": 50.0, "evaluation": 10.0, "replay": 2.0}
        return policies.get(run) or others[run.kind]

    engine = SimulatedCores(2, seconds)
    run_all(config.runs, RunStore(tmp_path), engine, lambda state: None)
    work = sum(map(seconds, ordered(config.runs)))
    assert engine.cores[config.datasets[1]] == 2
    assert 2 * engine.now < 1.05 * work


def test_it_tells_its_stages_and_its_page_says_what_was_done_and_links_the_demonstrations(glam, tmp_path):
    config, out = DemoConfig("lift", labelled=3, unlabelled=3, trials=2, preset="smoke"), tmp_path / "demo"
    sizes = ("--task", "lift", "--labelled", 3, "--unlabelled", 3, "--trials", 2, "--workers", 1, "--smoke")
    said = glam("demo", "--out", out, *sizes)
    assert said.code == 0
    assert sum(" min  " in line for line in said.lines) == 10
    assert any("glam-o" in line and "mip" in line and "points" in line for line in said.lines)
    assert said.lines[-1] == str(out / "index.html")
    page = (out / "index.html").read_text()
    assert f'href="{DEMONSTRATIONS}"' in page
    assert (out / DEMONSTRATIONS).is_file()
    before_results = page.split("<h2>Results</h2>")[0]
    for words in (*POLICIES, "so 2 and 2 are used for training", "Pick up the red cube", "Why not inverse kinematics?"):
        assert words in before_results, words
    names = [run.name for run in ordered(config.runs)]
    headings = [part.split("</")[0] for tag in ("<h1>", "<h2>", "<h3>", "<summary>") for part in page.split(tag)[1:]]
    assert not [name for name in names for heading in headings if name in heading]
    assert "Scene 4000" not in page  # scenes are counted from 1, not named by their seeds
    assert RunStore(out).is_done(config.runs[0])
