#!/usr/bin/env bash
# Run examples/metaworld, small, in an environment of its own: .metaworld-venv. Meta-World 3.1 runs with MuJoCo 3.3 alone,
# GLAM simulates with MuJoCo 4; all else it sees in .venv.
set -euo pipefail
cd "$(dirname "$0")/.."

VENV=${VENVS:-$PWD}/.metaworld-venv # VENVS names another folder for the environment, as an absolute path
STAMP=$VENV/ready
LOG=$VENV/install.log
WANTED="metaworld==3.1.1 mujoco==3.3.0 imageio==2.38.1"

fail() {
    echo "$1" >&2
    exit 1
}

if [ "$(cat "$STAMP" 2>/dev/null)" != "$WANTED" ]; then
    echo "Installing Meta-World into $VENV (once, a minute)"
    .venv/bin/python -m venv --clear "$VENV"
    .venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
        >"$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
    "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps $WANTED >"$LOG" 2>&1 ||
        fail "Installing $WANTED failed: please see $LOG."
    printf '%s\n' "$WANTED" >"$STAMP"
fi

export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/src:$PWD/packages/glam_client/src
exec "$VENV/bin/python" -m pytest tests/examples/test_metaworld.py "$@"
