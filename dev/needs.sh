#!/bin/sh
# The programs that "make test" uses in addition to Go, make and git.
#
#   needs.sh install   installs what is missing, if possible: Debian's packages, as root
#   needs.sh fetch     fetches the AssemblyScript compiler from npm, if npm is installed
#   needs.sh report    lists what is still missing, the tests that were skipped, and how to install it;
#                      with GUESTS=required it fails if anything is missing
set -eu
cd "$(dirname -- "$0")/.."

# The needs, in the order of the report. Each has has_NAME, packages_NAME, skipped_NAME and
# get_NAME.
needs="race c rust assemblyscript"

has_race() { [ "$(go env CGO_ENABLED)" = 1 ] && command -v "$(go env CC)" >/dev/null; }
packages_race="gcc libc6-dev"
skipped_race="nothing, but all tests ran without the race detector"
get_race="a C compiler: apt-get install gcc libc6-dev"

has_c() { command -v clang >/dev/null && command -v wasm-ld >/dev/null; }
packages_c="clang lld"
skipped_c="the tests of handlers in C and of the C SDK"
get_c="clang and wasm-ld: apt-get install clang lld"

# rustup's compiler hides Debian's, and may lack the target that Debian's has.
has_rust() {
  for rustc in rustc /usr/bin/rustc; do
    if [ -d "$("$rustc" --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ]; then return; fi
  done
  return 1
}
packages_rust="rustc libstd-rust-dev-wasm32"
skipped_rust="the tests of handlers in Rust and of the Rust SDK"
get_rust="Rust's WASM target: apt-get install rustc libstd-rust-dev-wasm32, or rustup target add wasm32-unknown-unknown"

has_node() { command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null; }
has_assemblyscript() { has_node && [ -x plugins/sdk/assemblyscript/node_modules/.bin/asc ]; }
packages_assemblyscript="nodejs npm"
skipped_assemblyscript="the tests of handlers in AssemblyScript and of its SDK"
get_assemblyscript="node 18 or newer and npm, which can reach a registry: apt-get install nodejs npm"

# A failure is not an error here: the report shows what is missing.
fetch() (
  cd plugins/sdk/assemblyscript
  if [ -x node_modules/.bin/asc ] && [ node_modules -nt package-lock.json ] || ! has_node; then return; fi
  if npm ci; then touch node_modules; else echo "npm could not fetch the compiler of AssemblyScript" >&2; fi
)

install() {
  updated=
  for need in $needs; do
    eval "packages=\$packages_$need"
    case $need in assemblyscript) has=has_node ;; *) has=has_$need ;; esac
    if $has; then continue; fi
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then continue; fi
    if [ -z "$updated" ]; then apt-get update || true; fi
    updated=yes
    # shellcheck disable=SC2086 # the packages' names are words
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages || echo "could not be installed: $packages" >&2
  done
}

report() {
  missing=
  for need in $needs; do
    if "has_$need"; then continue; fi
    if [ -z "$missing" ]; then
      echo "------------------------------------------------------------------------"
      echo "SKIPPED, since this machine lacks a compiler:"
    fi
    missing=yes
    eval "skipped=\$skipped_$need get=\$get_$need"
    echo "- $skipped"
    echo "  needs $get"
  done
  if [ -z "$missing" ]; then
    echo "All compilers are installed: no test was skipped for lack of one."
    return
  fi
  echo "All other tests ran. On Debian, as root, make test installs these itself."
  echo "------------------------------------------------------------------------"
  [ "${GUESTS-}" != required ] || { echo "GUESTS=required: all compilers must be installed" >&2; return 1; }
}

case ${1-} in
install) install ;;
fetch) fetch ;;
report) report ;;
*)
  echo "usage: needs.sh install|fetch|report" >&2
  exit 2
  ;;
esac
