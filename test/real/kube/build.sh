#!/usr/bin/env bash
# build.sh: builds the real kube-apiserver, etcd, kubectl and kube-controller-manager from the Go module
# proxy into the cache folder, once per go.sum, and prints the folder that holds them.
# Usage: build.sh CACHE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: build.sh CACHE_DIR}
key=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -c1-16)
out="$cache/kube-$key"
if [ -f "$out/.complete" ]; then echo "$out"; exit 0; fi
mkdir -p "$out"
exec 9>"$out.lock"
flock 9
if [ -f "$out/.complete" ]; then echo "$out"; exit 0; fi
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -mod=mod"
version=v1.34.4
p=k8s.io/component-base/version
ld="-s -w -X $p.gitVersion=$version -X $p.gitMajor=1 -X $p.gitMinor=34 -X $p.gitTreeState=clean"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/go.mod" "$here/go.sum" "$here/tools.go" "$work/"
cd "$work"
build() { # build NAME PACKAGE LDFLAGS
  echo "building $1 (cached afterwards)" >&2
  go build -trimpath -ldflags "$3" -o "$out/$1.part" "$2" >&2
  mv "$out/$1.part" "$out/$1"
}
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver "$ld"
build etcd go.etcd.io/etcd/server/v3 "-s -w"
build kubectl k8s.io/kubernetes/cmd/kubectl "$ld"
build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager "$ld"
touch "$out/.complete"
echo "$out"
