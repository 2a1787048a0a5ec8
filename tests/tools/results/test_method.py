from results.document import Table, Words
from results.method import method, table, write_table


def recorded(made):
    grid = made.Grid("method")
    for seed, path in ((0, 2.0), (1, 4.0)):
        grid.cell("replay", ("lift", "glam-o", seed, "idm_frames 6"), {"umi": 400}, made.replay(19 + seed, path))
    grid.cell("replay", ("lift", "glam", 0, "RGB"), {"umi": 400})
    grid.cell("evaluation", ("lift", "glam-o", 0, ""), {"kinova-lab": 100, "umi": 400}, made.trials(180))
    return grid


def test_trainings_of_a_setting_are_counted_together_beside_their_action_error(made, read):
    replays, policies = [block for block in method(read(recorded(made))).blocks if isinstance(block, Table)]
    done, open_ = replays.rows
    assert done[:4] == ("lift", "glam-o", "idm_frames 6", "0.007")
    assert done[4].startswith("39 of 40")
    assert done[5] == "3.0"
    assert open_[:5] == ("lift", "glam", "RGB", "-", "not run")
    (tried,) = [row for row in policies.rows if row[2] != "0"]
    assert tried[:3] == ("lift", "glam-o", "1")
    assert tried[3].startswith("90.0 %")


def test_the_table_is_part_of_the_record(made, read, tmp_path):
    records = read(recorded(made))
    assert write_table(tmp_path) == table(records.grid("method"))
    assert table(read().grid("method"))[0]["action error"] == "0.007"


def test_without_a_record_the_section_says_how_to_make_it(read):
    (words,) = method(read()).blocks
    assert isinstance(words, Words)
    assert "glam bench method" in words.text
