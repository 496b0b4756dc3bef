#!/bin/sh
# Builds devcluster and kwok into a directory, by default bin/ in the root of the repository.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../bin}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"

# Kubernetes gets its version from the linker; without one, clients that compare versions fail.
version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
package=k8s.io/component-base/version
flags="-s -w -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"

# One after the other: each link needs a gigabyte and all cores. Without cgo the build needs no C compiler.
export CGO_ENABLED=0
go build -ldflags "$flags" -o "$out/devcluster" .
go build -ldflags "-s -w" -o "$out/kwok" sigs.k8s.io/kwok/cmd/kwok
