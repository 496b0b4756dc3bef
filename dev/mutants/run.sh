#!/usr/bin/env bash
# Shows that the tests of pkg/informer notice defects: each mutant, a defect behind the build tag mutants, must make them
# fail. Fails if one survives, or if the tests fail without any.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -tags mutants -o "$work/informer.test" ./pkg/informer
# From its own folder, where the tests find their data; rapid's notes of failures go to the work folder.
run() { (cd pkg/informer && INFORMERD_MUTANT=$1 timeout 300 "$work/informer.test" -test.short -rapid.nofailfile) >"$work/log" 2>&1; }

if ! run none; then
  echo "the tests fail without a mutant:" && tail -40 "$work/log"
  exit 1
fi
survived=0 caught=0
for mutant in $(grep -rhoE 'mutated\("[a-z-]+"\)' pkg/informer --include='*.go' | sed -E 's/.*"(.*)".*/\1/' | sort -u); do
  if run "$mutant"; then
    echo "$mutant SURVIVED" && survived=$((survived + 1))
  else
    echo "$mutant: $(grep -oE '^ *--- FAIL: [A-Za-z0-9_/]+' "$work/log" | head -3 | sed -E 's/.*FAIL: //' | paste -sd' ')"
    caught=$((caught + 1))
  fi
done
echo "$caught mutants caught, $survived survived"
test "$survived" = 0
