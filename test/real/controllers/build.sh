#!/usr/bin/env bash
# build.sh: builds controllers of other projects from the Go module proxy into the cache folder, once per go.sum, with
# their definitions beside them, and prints the folder that holds them.
# Usage: build.sh CACHE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR}
key=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -c1-16)
out="$cache/controllers-$key"
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
build() { # build NAME PACKAGE
  if [ -f "$out/$1" ]; then return; fi
  echo "building $1 (cached afterwards)" >&2
  go build -trimpath -ldflags "-s -w" -o "$out/$1.part" "$2" >&2
  mv "$out/$1.part" "$out/$1"
}
definitions() { # definitions NAME FOLDER
  mkdir -p "$out/$1-crds"
  cp "$2"/*.yaml "$out/$1-crds/"
  chmod -R u+w "$out/$1-crds"
}
folder() { go list -m -f '{{.Dir}}' "$1"; }
build kro github.com/kubernetes-sigs/kro/cmd/controller
definitions kro "$(folder github.com/kubernetes-sigs/kro)/helm/crds"
build trust-manager github.com/cert-manager/trust-manager/cmd/trust-manager
definitions trust-manager "$(folder github.com/cert-manager/trust-manager)/deploy/crds"
build approver-policy github.com/cert-manager/approver-policy/cmd
definitions approver-policy "$(folder github.com/cert-manager/approver-policy)/deploy/crds"
definitions approver-policy "$(folder github.com/cert-manager/cert-manager)/deploy/crds"
build kustomize-controller github.com/fluxcd/kustomize-controller
definitions kustomize-controller "$(folder github.com/fluxcd/kustomize-controller)/config/crd/bases"
# Nothing of the source controller is built: its definitions alone are needed.
source=github.com/fluxcd/source-controller@v1.9.4
fetched=$(go mod download -json "$source")
grep -q '"Sum": "h1:psO6g4NTAMl3GD9gL8TMF3shM939XhTjFvlQXCK3pZ4="' <<<"$fetched" || { echo "$source is not what it was" >&2; exit 1; }
definitions kustomize-controller "$(sed -n 's/.*"Dir": "\(.*\)",\{0,1\}/\1/p' <<<"$fetched")/config/crd/bases"
touch "$out/.complete"
echo "$out"
