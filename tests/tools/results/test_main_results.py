from results.document import Figures, Table, Words
from results.main_results import best_baseline, each_task, main_results, methods_of


def blocks(records, number, kind):
    sections = [main_results(records), *each_task(records)]
    return [block for block in sections[number].blocks if isinstance(block, kind)]


def test_every_task_has_a_row_beside_what_the_paper_prints(records):
    _, table = blocks(records, 0, Table)
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows) == ["lift", "pick-place", "knock-down", "stack-two", "stack-three"]
    assert rows["lift"][1].startswith("90.5 % [")
    assert rows["lift"][2].startswith("mip 57.5 % [")
    assert rows["lift"][3].startswith("+33.0 [")
    assert rows["lift"][4:] == (
        "+33.0 [+27.2, +38.5]",
        "significantly better (over 2 trainings each)",
        "18/20",
        "+35 on average of three",
    )
    assert rows["stack-three"][1:] == ("not run",) * 5 + ("72.7 %", "+69")


def test_the_story_begins_with_the_paper_and_what_we_found(records):
    paper, found = [block.text for block in blocks(records, 0, Words) if block.is_headline]
    assert paper.startswith("The paper: GLAM with object masks (glam-o) is best on every task")
    assert found.startswith("Here: glam-o has a higher rate than the best baseline on 4 of 4 tasks (lift, ")
    assert found.endswith("+33.0 points on average.")


def test_the_main_figure_has_a_chart_for_each_task_and_the_lead_beside_the_papers(records):
    (figures,) = blocks(records, 0, Figures)
    assert len(figures.drawn) == 4 + 1
    assert "Lead of glam-o over the best baseline" in figures.drawn[-1]
    assert figures.drawn[-1].count('class="printed"') == 4 + 1  # the tasks, and the legend
    assert figures.note.endswith("stack-three: mip, clam, clam-o, lapa, lapa-o, glam, glam-o, retarget, upper-bound.")
    (image,) = figures.images
    assert image.name == "main.svg"


def test_the_first_table_has_every_method_on_every_task(records):
    table, _ = blocks(records, 0, Table)
    rates = {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}
    assert {name: rates["lift"][name] for name in ("mip", "clam", "glam-o")} == {
        "mip": "57.5",
        "clam": "-",
        "glam-o": "90.5",
    }
    assert set(rates["stack-three"].values()) == {"-"}


def test_a_task_tells_the_differences_and_where_it_fails(records):
    words = [block.text for block in blocks(records, 3, Words)]
    assert words[0].startswith("Compared with the best baseline: glam-o is better than mip: +33.0 points")
    assert words[1].startswith("Object masks: glam-o minus glam is at least +2.9 points (95 %, one-sided, ")
    assert "trainings of both: 1): significant" in words[1]
    assert words[1].endswith("the paper: +25, significant.")
    assert words[2].startswith("Compared with inverse kinematics: no significant difference")
    assert words[3] == "glam-o fails in 38 of 400 trials, by stage of the task: place 11, grasp 9, reach 9, release 9."


def test_methods_that_were_not_run_stand_in_the_table_as_such(records):
    (table,), (figures,) = blocks(records, 1, Table), blocks(records, 1, Figures)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["clam"][1:3] == ("0 of 2", "not run")
    assert rows["mip"][1:3] == ("2 of 2", "230 of 400")
    assert list(rows)[-2:] == ["retarget", "upper-bound"]
    assert figures.note == "Not run: clam."
    assert len(figures.drawn) == 2


def test_tasks_of_which_nothing_was_run_have_no_section(records):
    assert [one.title for one in each_task(records)] == [
        *(f"Main results: {task}" for task in ("lift", "pick-place", "knock-down", "stack-two")),
    ]


def test_before_anything_is_run_the_command_is_told(read, grid):
    section = main_results(read(grid("policies")))
    assert section.blocks == (Words("Not run yet: glam bench main."),)


def test_only_the_papers_baselines_count_as_such(records):
    methods = methods_of(records.grid("main"), "lift")
    assert [one.name for one in best_baseline(methods)] == ["mip"]
    assert best_baseline(methods_of(records.grid("main"), "stack-three")) == ()


def test_a_grid_with_one_method_alone_is_shown(read, grid, made):
    main = grid("main")
    main.cell("evaluation", ("lift", "glam-o", 0, ""), {"kinova-lab": 100, "umi": 400}, made.trials(190))
    records = read(main)
    _, table = blocks(records, 0, Table)
    assert table.rows[0][:5] == ("lift", "kinova-lab", "95.0 % [91.0, 97.3]", "not run", "not run")
    assert len(blocks(records, 1, Figures)[0].drawn) == 1
