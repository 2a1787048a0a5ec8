from glam.core.workers import Part


def test_a_part_reports_its_work_on_top_of_what_was_done_before() -> None:
    seen: list[tuple[int, int]] = []
    part = Part(lambda done, total: seen.append((done, total)), before=10, total=30)
    part(4, 20)
    assert seen == [(14, 30)]
