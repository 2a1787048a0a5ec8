from glam.data import layout


def test_the_thousandth_file_begins_a_new_chunk():
    assert layout.data_file(999) == "data/chunk-000/file-999.parquet"
    assert layout.data_file(1000) == "data/chunk-001/file-000.parquet"
    assert layout.place(2345) == (2, 345)


def test_each_camera_has_a_folder_of_its_own():
    name = layout.video_file("observation.images.front", 12)
    assert name == "videos/observation.images.front/chunk-000/file-012.mp4"


def test_records_sort_in_the_order_of_their_episodes():
    names = [layout.journal_record(index) for index in (0, 9, 10, 999, 1000, 99999)]
    assert names == sorted(names)
    assert layout.journal_rows(12) == "meta/journal/episode-000012.parquet"
