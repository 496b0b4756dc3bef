#!/usr/bin/env bash
# The checks for the edit at hand: format, vet, the rules of the layout, and the short tests of the
# packages that changed and of those that import them. Changed is what differs from a commit (HEAD,
# or SINCE=main for a whole branch), committed or not.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <({ git diff --name-only --diff-filter=d "${SINCE:-HEAD}" -- '*.go'
  git ls-files --others --exclude-standard -- '*.go'; } | sort -u)
if [ "${#files[@]}" -gt 0 ]; then
  unformatted=$(gofmt -l "${files[@]}")
  test -z "$unformatted" || { echo "not formatted, run make fmt:"; echo "$unformatted"; exit 1; }
fi
go vet ./...
go test ./internal/archtest

# Whatever changed below a folder, test data included, changed its package.
mapfile -t folders < <({ git diff --name-only "${SINCE:-HEAD}"
  git ls-files --others --exclude-standard; } | sed -nE 's,/(testdata/.*|[^/]*)$,,p' | sort -u)
module=$(go list -m)
changed=()
for folder in "${folders[@]}"; do
  # Other modules of the repository have checks of their own: make check, make test.
  if go list "./$folder" >/dev/null 2>&1; then changed+=("$module/$folder"); fi
done
if [ "${#changed[@]}" = 0 ]; then
  echo "no package changed since ${SINCE:-HEAD}"
  exit 0
fi
# Tests that start a control plane, or thousands of handlers, are left to make test.
mapfile -t tests < <(go list -test -f '{{.ImportPath}} {{join .Imports " "}}' ./... | awk -v changed="${changed[*]}" '
  BEGIN { split(changed, list, " "); for (i in list) wanted[list[i]] = 1 }
  { sub(/_test$/, "", $1); sub(/\.test$/, "", $1)
    for (i = 1; i <= NF; i++) if ($i in wanted) print $1 }' |
  sort -u | grep -vE '/internal/(e2e|stress|archtest|hostile)$')
go test -short "${tests[@]}"
