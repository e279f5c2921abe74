#!/usr/bin/env bash
# build.sh: builds the real helm from the Go module proxy into the cache folder, once per go.sum, and prints the
# folder that holds it.
# Usage: build.sh CACHE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR}
key=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -c1-16)
out="$cache/helm-$key"
if [ -f "$out/.complete" ]; then echo "$out"; exit 0; fi
mkdir -p "$out"
exec 9>"$out.lock"
flock 9
if [ -f "$out/.complete" ]; then echo "$out"; exit 0; fi
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -mod=mod"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/go.mod" "$here/go.sum" "$here/tools.go" "$work/"
cd "$work"
echo "building helm (cached afterwards)" >&2
go build -trimpath -ldflags "-s -w" -o "$out/helm.part" helm.sh/helm/v3/cmd/helm >&2
mv "$out/helm.part" "$out/helm"
touch "$out/.complete"
echo "$out"
