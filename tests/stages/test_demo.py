from pathlib import Path

from glam.stages.demo import demo


def test_the_demo_ends_with_a_page_of_every_embodiment(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    page = demo(tmp_path, 1, workers=1, progress=lambda done, total: reports.append((done, total)))
    text = page.read_text()
    assert all(f"stack-two-{body}" in text for body in ("kinova", "umi", "kinova-lab"))
    assert text.count("<video") == 3
    assert reports == sorted(reports)
    assert reports[-1] == (3, 3)
