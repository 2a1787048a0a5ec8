#!/usr/bin/env bash
# Run examples/fetch, small, in an environment of its own: .fetch-venv. Gymnasium-Robotics 1.4 does not run with
# MuJoCo 4, which GLAM simulates with, so it has an older one; all else it sees in the environment of `make test-lerobot`.
set -euo pipefail
cd "$(dirname "$0")/.."

VENVS=${VENVS:-$PWD} # the folder of both environments, as an absolute path
VENV=$VENVS/.fetch-venv
BASE=$VENVS/.lerobot-venv
STAMP=$VENV/ready
LOG=$VENV/install.log
WANTED="gymnasium-robotics==1.4.2 jinja2==3.1.6 markupsafe==3.0.3 mujoco==3.3.0 pettingzoo==1.25.0"

fail() {
    echo "$1" >&2
    exit 1
}

purelib() {
    "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}

bash tools/test_lerobot.sh --collect-only --quiet >/dev/null || fail "make test-lerobot cannot be set up: please run it."
if [ "$(cat "$STAMP" 2>/dev/null)" != "$WANTED $PWD" ]; then
    echo "Installing Gymnasium-Robotics into $VENV (once, a minute)"
    "$BASE/bin/python" -m venv --clear "$VENV"
    purelib "$BASE" >"$(purelib "$VENV")/base.pth"
    "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps $WANTED >"$LOG" 2>&1 ||
        fail "Installing $WANTED failed: please see $LOG."
    printf '%s\n' "$WANTED $PWD" >"$STAMP"
fi

export HF_HUB_OFFLINE=1 HF_HOME="$BASE/huggingface" OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=src:packages/glam_client/src
exec "$VENV/bin/python" -m pytest -c tests/lerobot_contract/pytest.ini tests/lerobot_contract/test_fetch.py "$@"
