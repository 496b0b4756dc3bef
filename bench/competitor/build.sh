#!/bin/sh
# build.sh DIR: builds shell-operator, with which the benchmark compares informerd, into DIR.
#
# Its filters use jq as a C library, as in its published images; without the library it starts the
# program jq for each object. On Debian, as root, this script installs the library. Elsewhere
# nothing is built, and the benchmark runs without shell-operator.
set -eu
target=$(cd "$1" && pwd)
cd "$(dirname -- "$0")"

has_jq() {
  printf '#include <jv.h>\n#include <jq.h>\nint main(void) { return jq_init() == 0; }\n' |
    "$(go env CC)" -x c - -ljq -lonig -lm -o /dev/null 2>/dev/null
}

if ! has_jq && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update || true
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev libjq-dev libonig-dev || true
fi
if ! has_jq; then
  echo "shell-operator is left out: it needs a C compiler and jq's library (apt-get install gcc libjq-dev libonig-dev)" >&2
  exit
fi
CGO_ENABLED=1 go build -tags use_libjq -o "$target/shell-operator" github.com/flant/shell-operator/cmd/shell-operator
