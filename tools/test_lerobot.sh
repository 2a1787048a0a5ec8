#!/usr/bin/env bash
# Exchange datasets and policies with the real LeRobot library, in an environment of its own: .lerobot-venv, never ours.
# The version caps of 0.4.4 do not admit the torch we use, so it and what it brings are installed without dependencies.
# LEROBOT=newest takes the newest release that was tested, with its own dependencies; it needs Python 3.12 or newer, which
# PYTHON names if it is not found. RECORD=FILE notes the outcome as JSON.
set -euo pipefail
cd "$(dirname "$0")/.."

RELEASE=${LEROBOT:-0.4.4}
[ "$RELEASE" = newest ] && RELEASE=0.6.1
VENVS=${VENVS:-$PWD} # the folder of the environment, as an absolute path
VENV=$VENVS/.lerobot-venv
[ "$RELEASE" = 0.4.4 ] || VENV=$VENVS/.lerobot-$RELEASE-venv
STAMP=$VENV/ready
LOG=$VENV/install.log
[ -x .venv/bin/python ] && OURS=.venv/bin/python || OURS=python3.11
[ "$RELEASE" = 0.4.4 ] || OURS=$(command -v python3.12 || command -v python3.13 || echo python3.12)
PYTHON=${PYTHON:-$OURS}

BASE="torch==2.13.0"
ALONE="torchvision==0.28.0 torchcodec==0.13.0 lerobot==0.4.4"
# Held to what lerobot 0.4.4 asks for where its code depends on it; the rest as tested.
OTHERS="accelerate==1.14.0 av==15.1.0 datasets==4.8.5 deepdiff==9.1.0 diffusers==0.35.2 draccus==0.10.0 einops==0.8.2
        gymnasium==1.4.0 huggingface-hub==0.35.3 imageio==2.38.1 imageio-ffmpeg==0.7.0 jsonlines==4.0.0 numpy==2.2.6
        opencv-python-headless==4.12.0.88 packaging==26.3 pillow==13.0.0 pyarrow==26.0.1 pyserial==3.5 pytest==9.2.0
        safetensors==0.8.0 setuptools==80.9.0 termcolor==3.3.0"
# What glam needs besides, to simulate and to be installed with its client and its plugin.
OURS_TOO="editables==0.6 hatchling==1.33.0 msgpack==1.2.4 mujoco==4.0.0 pyopengl==3.1.10 rich==15.0.0 tyro==1.0.16
          websockets==17.4"
CLIENT=packages/glam_client
PLUGIN=packages/lerobot_policy_glam
# FFmpeg 5.1 as in Debian 12: torchcodec loads its shared libraries to decode video.
SYSTEM="libavcodec59 libavdevice59 libavfilter8 libavformat59 libswresample4 libswscale6"

fail() {
    echo "$1" >&2
    exit 1
}

pip_install() {
    "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet "$@" >>"$LOG" 2>&1 ||
        fail "Installing $* failed: please see $LOG."
}

install_packages() {
    [ "$RELEASE" = 0.4.4 ] && NEEDED=python3.11 || NEEDED=python3.12
    command -v "$PYTHON" >/dev/null || fail "LeRobot $RELEASE is tested with $NEEDED: please install it, or name another as in PYTHON=$NEEDED."
    echo "Installing LeRobot $RELEASE into $VENV (once, a few minutes)"
    "$PYTHON" -m venv --clear "$VENV"
    if [ "$RELEASE" = 0.4.4 ]; then
        pip_install $BASE
        pip_install --no-deps $ALONE
        pip_install $OTHERS $OURS_TOO
    else
        pip_install "lerobot[dataset,training,evaluation,diffusion]==$RELEASE" pytest $OURS_TOO
    fi
    pip_install --no-deps --no-build-isolation --editable "$CLIENT" --editable . --editable "$PLUGIN"
}

install_ffmpeg() {
    "$VENV/bin/python" -c 'import ctypes; ctypes.CDLL("libavfilter.so.8"); ctypes.CDLL("libavdevice.so.59")' 2>/dev/null && return
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "FFmpeg 5 is missing: please run \`sudo apt-get install $SYSTEM\`, then try again."
    echo "Installing FFmpeg: apt-get install $SYSTEM"
    apt-get -qq update >/dev/null || true
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $SYSTEM >/dev/null ||
        fail "\`apt-get install $SYSTEM\` failed: please install these packages by hand, then try again."
}

WANTED="$BASE $ALONE $OTHERS $OURS_TOO $SYSTEM $PWD" # the folder counts, for editable installations point to it
if [ "$(cat "$STAMP" 2>/dev/null)" != "$WANTED" ]; then
    install_packages
    install_ffmpeg
    printf '%s\n' "$WANTED" >"$STAMP"
fi

export HF_HUB_OFFLINE=1 HF_HOME="$VENV/huggingface" OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
exec "$VENV/bin/python" -m pytest -c tests/lerobot_contract/pytest.ini tests/lerobot_contract "$@"
