#!/usr/bin/env bash
# build.sh: puts schemathesis at the pinned versions into the cache folder, once per lock file and Python, and prints the
# folder that holds it. Nothing is installed system-wide.
# Usage: build.sh CACHE_DIR [check]
#   check: only say whether there is a usable Python.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR [check]}
fail() { echo "build.sh: $*" >&2; exit 1; }

find_python() { # 3.11 or newer, and able to make a virtual environment
  local each
  for each in "${RACKWRIGHT_PYTHON:-}" python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    [ -n "$each" ] || continue
    if "$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$each"
      return
    fi
  done
  return 1
}
python=$(find_python) ||
  fail "no Python 3.11 or newer with the venv module, so schemathesis cannot be installed; install it (Debian: apt-get install python3-venv) or set RACKWRIGHT_PYTHON"
[ "${2:-}" = check ] && exit 0

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
key=$({ "$python" -VV; uname -m; cat "$here/requirements.lock" "$here/build.sh"; } | sha256sum | cut -c1-16)
out="$cache/openapi-$key"
exec 9>"$out.lock"
flock 9
if [ ! -f "$out/.complete" ]; then
  echo "installing schemathesis with $python (cached afterwards)" >&2
  # Paths inside a virtual environment are absolute, so it is made in place and marked at the end.
  rm -rf "$out"
  "$python" -m venv "$out/venv"
  "$out/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$here/requirements.lock" >&2 ||
    fail "pip could not install requirements.lock; see above"
  touch "$out/.complete"
fi
echo "$out"
