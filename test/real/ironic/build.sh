#!/usr/bin/env bash
# build.sh: puts Ironic, sushy and sushy-tools at the pinned versions into the cache folder, once per lock file and
# Python, and prints the folder that holds them. Nothing is installed system-wide, with one exception: where no
# usable Python is found, and apt-get and root are, python3 and python3-venv are installed.
# Usage: build.sh CACHE_DIR [check|libvirt]
#   check: only say whether there is a usable Python or a way to install one.
#   libvirt: also unpack Debian's libvirt client library, whose in-process test hypervisor backs the emulator, and
#   its Python module. It needs a Debian machine and its own Python version.
# Ironic makes config drives with genisoimage or the like; where the machine has none, Debian's is unpacked into tools/.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR [check|libvirt]}
part=${2:-base}
fail() { echo "build.sh: $*" >&2; exit 1; }

usable() { # usable PYTHON: 3.11 or newer, and able to make a virtual environment
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}
find_python() { # Debian's own Python comes first: only that one fits Debian's libvirt module
  local each
  for each in "${RACKWRIGHT_PYTHON:-}" /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if [ -n "$each" ] && usable "$each"; then command -v "$each"; return; fi
  done
  return 1
}
apt_update() { # only root can refresh the package lists
  [ "$(id -u)" = 0 ] && apt-get update -q >&2
}
can_install() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]
}
install_python() {
  can_install || return 1
  apt_update
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3 python3-venv >&2
}

no_python="no Python 3.11 or newer with the venv module, so the real Ironic cannot be installed; install it (Debian: apt-get install python3-venv) or set RACKWRIGHT_PYTHON"
if [ "$part" = check ]; then
  find_python >/dev/null || can_install || fail "$no_python"
  exit 0
fi
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
if ! python=$(find_python); then
  exec 8>"$cache/ironic-python.lock"
  flock 8
  echo "no Python 3.11 with venv found: installing python3-venv" >&2
  install_python || fail "$no_python"
  python=$(find_python) || fail "apt-get installed no Python 3.11 or newer with the venv module; set RACKWRIGHT_PYTHON to one"
fi

key=$({ "$python" -VV; uname -m; cat "$here/requirements.lock" "$here/build.sh"; } | sha256sum | cut -c1-16)
out="$cache/ironic-$key"
mark="$out/.complete"
[ "$part" = libvirt ] && mark="$out/.complete-libvirt"
if [ -f "$mark" ]; then echo "$out"; exit 0; fi
exec 9>"$out.lock"
flock 9

build_base() { # paths inside a virtual environment are absolute, so it is made in place and marked at the end
  [ -f "$out/.complete" ] && return
  echo "installing Ironic and sushy-tools with $python (cached afterwards)" >&2
  rm -rf "$out"
  mkdir -p "$out"
  "$python" -m venv "$out/venv"
  "$out/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$here/requirements.lock" >&2 ||
    fail "pip could not install requirements.lock; see above"
  build_tools
  touch "$out/.complete"
}
build_tools() {
  mkdir -p "$out/tools/bin"
  for each in genisoimage mkisofs xorrisofs; do
    if command -v "$each" >/dev/null; then return; fi
  done
  command -v apt-get >/dev/null || fail "Ironic needs genisoimage, mkisofs or xorrisofs for config drives: install one of them"
  local work="$out/tools"
  fetch "$work" genisoimage libmagic1 || {
    apt_update || fail "apt-get could not fetch genisoimage"
    fetch "$work" genisoimage libmagic1 || fail "apt-get could not fetch genisoimage"
  }
  for each in "$work"/*.deb; do dpkg-deb -x "$each" "$work"; done
  rm "$work"/*.deb
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$(libraries_below "$work")" "$work/usr/bin/genisoimage" >"$work/bin/genisoimage"
  chmod +x "$work/bin/genisoimage"
  "$work/bin/genisoimage" --version >/dev/null || fail "Debian's genisoimage does not run here; install genisoimage, mkisofs or xorrisofs"
}

missing_packages() { # what apt-get would install for the Python module of libvirt, without installing it
  apt-get install -s -q --no-install-recommends python3-libvirt | awk '$1 == "Inst" { print $2 }'
}
build_libvirt() {
  [ -f "$out/.complete-libvirt" ] && return
  command -v apt-get >/dev/null || fail "the libvirt driver needs Debian's packages, and there is no apt-get here"
  echo "unpacking the libvirt client library (cached afterwards)" >&2
  local work="$out/libvirt.part" names
  rm -rf "$work" "$out/libvirt"
  mkdir -p "$work/debs" "$work/unpacked"
  # A package that is installed is downloaded again by name, so its module can be copied out of it.
  names=$(missing_packages) && fetch "$work/debs" python3-libvirt libvirt0 $names || {
    apt_update || fail "apt-get could not fetch python3-libvirt and its libraries"
    names=$(missing_packages) && fetch "$work/debs" python3-libvirt libvirt0 $names || fail "apt-get could not fetch python3-libvirt"
  }
  for each in "$work"/debs/*.deb; do dpkg-deb -x "$each" "$work/unpacked"; done
  rm -rf "$work/debs"
  mv "$work" "$out/libvirt"
  local site
  site=$("$out/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
  cp "$out"/libvirt/unpacked/usr/lib/python3/dist-packages/libvirt*.{py,so} "$site/"
  LD_LIBRARY_PATH=$(library_path) "$out/venv/bin/python" -c 'import libvirt; libvirt.open("test:///default").close()' ||
    fail "Debian's libvirt module does not fit $python; use Debian's own python3"
  library_path >"$out/libvirt/library-path"
  touch "$out/.complete-libvirt"
}
fetch() { # fetch FOLDER PACKAGE...
  local folder=$1
  shift
  (cd "$folder" && printf '%s\n' "$@" | sort -u | xargs apt-get download -qq -o APT::Sandbox::User=root >&2)
}
library_path() {
  libraries_below "$out/libvirt/unpacked"
}
libraries_below() { # libraries_below FOLDER: where packages that are unpacked there have their libraries
  local triplet
  triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo "$(uname -m)-linux-gnu")
  printf '%s' "$1/usr/lib/$triplet:$1/lib/$triplet"
}

build_base
if [ "$part" = libvirt ]; then build_libvirt; fi
echo "$out"
