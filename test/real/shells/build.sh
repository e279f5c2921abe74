#!/usr/bin/env bash
# build.sh: puts fish, zsh, and what else people type with that is not on this machine (curl, openssl), into the cache
# folder, once per machine, and prints the folder whose bin/ holds them. Nothing is installed system-wide: Debian's
# packages are unpacked. Programs learn by UNPACKED where that is, since a shell looks for its functions elsewhere.
# Usage: build.sh CACHE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR}
fail() { echo "build.sh: $*" >&2; exit 1; }

command -v apt-get >/dev/null || fail "shells are taken from Debian's packages, and there is no apt-get here"
programs="fish zsh"
for each in curl openssl; do command -v "$each" >/dev/null || programs="$programs $each"; done

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
key=$({ uname -m; cat /etc/os-release; echo "$programs"; cat "$here/build.sh"; } | sha256sum | cut -c1-16)
out="$cache/shells-$key"
exec 9>"$out.lock"
flock 9

with_missing() { # the packages and whatever they need that is not installed here
  { printf '%s\n' $programs fish-common libpcre2-32-0 zsh-common
    apt-get install -s -q --no-install-recommends $programs | awk '$1 == "Inst" { print $2 }'
  } | sort -u
}
fetch() { (cd "$1" && with_missing | xargs apt-get download -qq -o APT::Sandbox::User=root >&2); }
if [ ! -f "$out/.complete" ]; then
  echo "unpacking $programs (cached afterwards)" >&2
  rm -rf "$out"
  mkdir -p "$out/debs" "$out/unpacked" "$out/bin"
  fetch "$out/debs" || { apt-get update -q >&2 && fetch "$out/debs"; } || fail "apt-get could not fetch $programs"
  for each in "$out"/debs/*.deb; do dpkg-deb -x "$each" "$out/unpacked"; done
  rm -rf "$out/debs"
  libraries=$(find "$out/unpacked" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
  for each in $programs; do
    program=$(find "$out/unpacked/usr/bin" "$out/unpacked/bin" -name "$each" 2>/dev/null | head -1)
    printf '#!/bin/sh\nexport UNPACKED="%s"\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' \
      "$out/unpacked" "$libraries" "$program" > "$out/bin/$each"
    chmod +x "$out/bin/$each"
  done
  touch "$out/.complete"
fi
echo "$out"
