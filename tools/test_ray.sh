#!/usr/bin/env bash
# Run grids and work on datasets on a local Ray cluster of two machines, in an environment of its own: .ray-venv, never
# the project's. It sees the packages of .venv; only Ray and what Ray brings are installed into it.
set -euo pipefail
cd "$(dirname "$0")/.."

VENV=${VENVS:-$PWD}/.ray-venv # VENVS names another folder for the environment, as an absolute path
STAMP=$VENV/ready
LOG=$VENV/install.log
WANTED="ray==2.60.0"

fail() {
    echo "$1" >&2
    exit 1
}

if [ "$(cat "$STAMP" 2>/dev/null)" != "$WANTED" ]; then
    echo "Installing $WANTED into $VENV (once, a minute)"
    .venv/bin/python -m venv --clear "$VENV"
    .venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
        >"$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
    "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet "$WANTED" >"$LOG" 2>&1 ||
        fail "Installing $WANTED failed: please see $LOG."
    printf '%s\n' "$WANTED" >"$STAMP"
fi

export PYTHONPATH=$PWD/src:$PWD/packages/glam_client/src OMP_NUM_THREADS=1
# Ray leaves sockets and processes to its own shutdown, which Python warns about.
exec "$VENV/bin/python" -m pytest -W default \
    tests/core/test_on_ray.py tests/stages/test_on_a_cluster.py tests/bench/test_on_ray.py "$@"
