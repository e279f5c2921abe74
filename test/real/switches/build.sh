#!/usr/bin/env bash
# build.sh: puts Open vSwitch, an SSH server and Ansible with network-runner into the cache folder, once per lock file
# and machine, and prints the folder that holds them. Nothing is installed system-wide: Debian's packages are unpacked.
# Usage: build.sh CACHE_DIR [check|ovs|ansible]
#   check: only say whether it can be done here.
#   ovs: `root` in the printed folder is the unpacked packages.
#   ansible: also `venv` and `collections`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR [check|ovs|ansible]}
part=${2:-ovs}
fail() { echo "build.sh: $*" >&2; exit 1; }

command -v apt-get >/dev/null || fail "real switches need Debian's packages of Open vSwitch, and there is no apt-get here"
[ "$(id -u)" = 0 ] || fail "real switches need root: network namespaces and virtual cables cannot be made otherwise"
ip link show >/dev/null 2>&1 || fail "the program ip is missing (Debian: apt-get install iproute2)"
probe=rwprobe$$
ip link add "$probe" type veth peer name "${probe}p" 2>/dev/null || fail "this kernel or sandbox makes no virtual cables (veth)"
ip link del "$probe"
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
python=$(find_python) || fail "no Python 3.11 or newer with the venv module; install it (Debian: apt-get install python3-venv) or set RACKWRIGHT_PYTHON"
[ "$part" = check ] && exit 0

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
key=$({ "$python" -VV; uname -m; cat "$here/requirements.lock" "$here/collections.lock" "$here/build.sh"; } | sha256sum | cut -c1-16)
out="$cache/switches-$key"
exec 9>"$out.lock"
flock 9

packages="openvswitch-switch openvswitch-common openssh-server sudo ethtool"
with_missing() { # the packages and whatever they need that is not installed here
  { printf '%s\n' $packages
    apt-get install -s -q --no-install-recommends $packages | awk '$1 == "Inst" { print $2 }'
  } | sort -u
}
fetch() { (cd "$1" && with_missing | xargs apt-get download -qq -o APT::Sandbox::User=root >&2); }
if [ ! -f "$out/.complete-ovs" ]; then
  echo "unpacking Open vSwitch and an SSH server (cached afterwards)" >&2
  rm -rf "$out"
  mkdir -p "$out/debs" "$out/root"
  fetch "$out/debs" || { apt-get update -q >&2 && fetch "$out/debs"; } || fail "apt-get could not fetch $packages"
  for each in "$out"/debs/*.deb; do dpkg-deb -x "$each" "$out/root"; done
  rm -rf "$out/debs"
  touch "$out/.complete-ovs"
fi
if [ "$part" = ansible ] && [ ! -f "$out/.complete-ansible" ]; then
  echo "installing Ansible and network-runner with $python (cached afterwards)" >&2
  rm -rf "$out/venv" "$out/collections"
  "$python" -m venv "$out/venv"
  "$out/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$here/requirements.lock" >&2 ||
    fail "pip could not install requirements.lock; see above"
  # Of the 500 MB of collections only those of the systems that are tried here are kept.
  "$out/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes -d "$out/wheel" -r "$here/collections.lock" >&2
  "$out/venv/bin/python" - "$out" <<'PY'
import glob, sys, zipfile
out = sys.argv[1]
kept = tuple('ansible_collections/' + name for name in ('arista/', 'cisco/nxos/', 'ansible/netcommon/', 'ansible/utils/'))
wheel = zipfile.ZipFile(glob.glob(out + '/wheel/*.whl')[0])
wheel.extractall(out + '/collections', [name for name in wheel.namelist() if name.startswith(kept)])
PY
  rm -rf "$out/wheel"
  touch "$out/.complete-ansible"
fi
echo "$out"
