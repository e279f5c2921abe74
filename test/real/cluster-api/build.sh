#!/usr/bin/env bash
# build.sh: builds the real Cluster API core manager from the Go module proxy into the cache folder, once per go.sum,
# with its manifests beside it, and prints the folder that holds them.
# Usage: build.sh CACHE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR}
key=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -c1-16)
out="$cache/cluster-api-$key"
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
echo "building the Cluster API core manager (cached afterwards)" >&2
go build -trimpath -ldflags "-s -w" -o "$out/manager.part" sigs.k8s.io/cluster-api/core >&2
mv "$out/manager.part" "$out/manager"
rm -rf "$out/crds"
mkdir -p "$out/crds"
module=$(go list -m -f '{{.Dir}}' sigs.k8s.io/cluster-api)
cp "$module"/core/config/crd/bases/*.yaml "$out/crds/"
chmod -R u+w "$out/crds"
touch "$out/.complete"
echo "$out"
