"""Paths of the files of a recorded dataset. One data file and one video per camera for each episode.

    meta/info.json          LeRobot's description; written last, so its presence means: published
    meta/glam.json          the manifest: provenance, facts of every episode, sha256 of every file
    meta/recording.json     what is being recorded; kept, so that the set can be extended
    meta/journal/           acknowledged episodes that are not yet published; gone afterwards
    data/ videos/           as in LeRobotDataset v3.0

Paths are relative to the root of the dataset, with forward slashes: they are stored in the manifest.
"""

CODEBASE_VERSION = "v3.0"
OLDER_VERSIONS = ("v2.0", "v2.1")
"""Versions of LeRobot's format that `glam data adopt` reads."""
FILES_PER_CHUNK = 1000

INFO = "meta/info.json"
STATS = "meta/stats.json"
TASKS = "meta/tasks.parquet"
EPISODES_FOLDER = "meta/episodes"
EPISODES = f"{EPISODES_FOLDER}/chunk-000/file-000.parquet"
MANIFEST = "meta/glam.json"
RECORDING = "meta/recording.json"
LOCK = "meta/.lock"
JOURNAL = "meta/journal"

DATA_TEMPLATE = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_TEMPLATE = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"


def place(index: int) -> tuple[int, int]:
    """Chunk and file number of an episode."""
    return divmod(index, FILES_PER_CHUNK)


def data_file(index: int) -> str:
    """Rows of one episode."""
    chunk, file = place(index)
    return DATA_TEMPLATE.format(chunk_index=chunk, file_index=file)


def video_file(key: str, index: int) -> str:
    """Video of one camera in one episode."""
    chunk, file = place(index)
    return VIDEO_TEMPLATE.format(video_key=key, chunk_index=chunk, file_index=file)


def journal_record(index: int) -> str:
    """The record whose presence acknowledges an episode."""
    return f"{JOURNAL}/episode-{index:06d}.json"


def journal_rows(index: int) -> str:
    """Rows of an acknowledged episode that wait for their place in the whole set."""
    return f"{JOURNAL}/episode-{index:06d}.parquet"
