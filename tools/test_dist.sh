#!/usr/bin/env bash
# Build wheels and sdists of GLAM and of its client into dist/, install the wheels into throw-away environments, and run
# `glam --help` and `glam demo --help` from another folder.
set -euo pipefail
cd "$(dirname "$0")/.."

ROOT=$PWD
PYTHON=$(realpath -s "${PYTHON:-.venv/bin/python}") # as a full path, but still that of the environment
PLACE=$(mktemp -d)
trap 'rm -rf "$PLACE"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

build() { # the sdist, and from it the wheel, so that the sdist is known to be complete
    (cd "$1" && "$PYTHON" -m hatchling build --target sdist --directory "$ROOT/dist" >/dev/null)
    mkdir "$PLACE/source"
    tar -xzf "$ROOT/dist/$2"-[0-9]*.tar.gz -C "$PLACE/source" --strip-components 1
    (cd "$PLACE/source" && "$PYTHON" -m hatchling build --target wheel --directory "$ROOT/dist" >/dev/null)
    rm -r "$PLACE/source"
}

names() { # of the files in a wheel
    "$PYTHON" -c 'import sys, zipfile; print("\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))' "$1"
}

environment() { # its name, then what to install
    "$PYTHON" -m venv "$PLACE/$1"
    "$PLACE/$1/bin/python" -m pip install --disable-pip-version-check --quiet --constraint constraints.txt "${@:2}" ||
        fail "Installing ${*:2} failed: please see the messages above."
}

rm -rf dist
build . glam_robot
build packages/glam_client glam_robot_client
GLAM=$(echo dist/glam_robot-*.whl) CLIENT=$(echo dist/glam_robot_client-*.whl)
ls -sh dist

OTHERS=$(names "$GLAM" | grep -vE '^glam/|^glam_robot-[0-9.]+\.dist-info/' || true)
[ -z "$OTHERS" ] || fail "$GLAM holds files outside of the package: $OTHERS"
OURS=$(names "$GLAM" | grep -E '(^|/)(tests?|tools|benchmarks|results)/|(^|/)(test_|conftest)' || true)
[ -z "$OURS" ] || fail "$GLAM holds what belongs to the repository: $OURS"

environment client "$CLIENT"
(cd "$PLACE" && client/bin/python -c 'import glam_client.client, glam_client.controller, glam_client.live_pose')
echo "The client installs:"
"$PLACE/client/bin/python" -m pip --disable-pip-version-check list --format=freeze | grep -vE '^(pip|setuptools)=='

environment glam "$CLIENT" "$GLAM"
cd "$PLACE"
VERSION=$(glam/bin/python -c 'from importlib.metadata import version; print("glam-robot", version("glam-robot"))')
[ "$(glam/bin/glam --version)" = "$VERSION" ] || fail "glam --version does not print $VERSION."
glam/bin/glam --help >/dev/null || fail "glam --help fails."
glam/bin/glam demo --help >/dev/null || fail "glam demo --help fails."
echo "$VERSION: wheels, sdists, glam --help and glam demo --help are ok"
