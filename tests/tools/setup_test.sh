#!/usr/bin/env bash
# Runs tools/setup on machines made of stubs: a PATH with nothing but the programs each case provides.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash=$(command -v bash)
setsid=$(command -v setsid)
failures=0
unset MINDGAP_SKIP_SETUP

stub() {  # stub NAME BODY: a program NAME on the case's PATH; every call is noted in $log
  printf '#!%s\necho "%s $*" >>"%s"\n%s\n' "$bash" "$1" "$log" "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}

new_case() {
  name=$1
  bin=$work/$name/bin
  log=$work/$name/calls
  mkdir -p "$bin"
  : >"$log"
  ln -s "$(command -v env)" "$bin/env"
}

# dpkg-query that knows every package asked for except those in $absent.
stub_dpkg() {
  stub dpkg-query '
for p in "$@"; do
  [[ $p == -* || $p == *"{"* ]] && continue
  [[ " $absent " == *" $p "* ]] && { failed=1; echo "no packages found matching $p" >&2; continue; }
  echo "$p install ok installed"
done
exit "${failed:-0}"'
}

setup() {  # setup ARGS...: runs the script on the stubbed machine, without a terminal
  status=0
  output=$(absent=${absent:-} PATH=$bin "$setsid" -w "$bash" "$root/tools/setup" "$@" </dev/null 2>&1) ||
    status=$?
}

expect() {  # expect WHAT CONDITION...
  local what=$1
  shift
  "$@" && return
  echo "FAILED $name: $what"
  echo "  status $status, output: $output"
  sed 's/^/  call: /' "$log"
  failures=$((failures + 1))
}
says() { [[ $output == *"$1"* ]]; }
silent() { [[ -z $output ]]; }
exits() { ((status == $1)); }
called() { grep -q -e "$1" "$log"; }
not_called() { ! grep -q -e "$1" "$log"; }
called_times() { (($(grep -c -e "$1" "$log") == $2)); }

new_case nothing_missing
stub_dpkg
stub apt-get ''
absent='' setup test lint
expect "exit 0" exits 0
expect "silence" silent
expect "one call of dpkg-query" called_times '^dpkg-query ' 1
expect "included groups are asked for" called ' cmake .* libgtest-dev .* clang-tidy'
expect "no apt-get" not_called '^apt-get'

new_case as_root
stub_dpkg
stub apt-get ''
stub id 'echo 0'
absent='cmake libfmt-dev' setup
expect "exit 0" exits 0
expect "lists are updated once" called_times '^apt-get.* update$' 1
expect "only what is missing is installed" called 'install -y --no-install-recommends cmake libfmt-dev$'
expect "the packages are named" says 'installing cmake libfmt-dev'

new_case program_from_elsewhere
stub_dpkg
stub apt-get ''
stub id 'echo 0'
stub node ''
stub npm ''
absent='nodejs npm' setup build
expect "exit 0" exits 0
expect "silence: a node of another source is enough" silent
expect "no apt-get" not_called '^apt-get'

new_case program_missing
stub_dpkg
stub apt-get ''
stub id 'echo 0'
stub node ''
absent='nodejs npm' setup test
expect "only what has no program is installed" called 'install -y --no-install-recommends npm$'

new_case half_installed
stub dpkg-query 'echo "cmake deinstall ok config-files"'
stub apt-get ''
stub id 'echo 0'
setup
expect "a removed package counts as missing" called 'install .* cmake '

new_case with_sudo
stub_dpkg
stub apt-get 'echo "frontend=$DEBIAN_FRONTEND" >>"$0.env"'
stub id 'echo 1000'
stub sudo '[[ $1 == -n ]] && shift; [[ $1 == true ]] || exec "$@"'
absent='ninja-build' setup build
expect "exit 0" exits 0
expect "sudo never prompts" not_called '^sudo [^-]'
expect "installed through sudo" called '^sudo -n env .*install .*ninja-build$'
expect "apt-get asks nothing" grep -q 'frontend=noninteractive' "$bin/apt-get.env"

new_case sudo_wants_password
stub_dpkg
stub apt-get ''
stub id 'echo 1000'
stub sudo '[[ $1 == -n ]] && exit 1; exec sleep 60'
absent='ninja-build' setup build
expect "exit 1" exits 1
expect "one line" eval '[[ $output != *$'"'\\n'"'* ]]'
expect "the command to run" says \
  'apt-get update && apt-get install -y --no-install-recommends ninja-build'
expect "no apt-get" not_called '^apt-get'

new_case neither_root_nor_sudo
stub_dpkg
stub apt-get ''
stub id 'echo 1000'
absent='g++ make' setup
expect "exit 1" exits 1
expect "the command to run" says 'apt-get install -y --no-install-recommends g++ make'

new_case update_fails
stub_dpkg
stub apt-get '[[ $* != *update ]]'
stub id 'echo 0'
absent='make' setup
expect "the install decides" exits 0
expect "a warning" says 'apt-get update failed'

new_case install_fails
stub_dpkg
stub apt-get '[[ $* == *update ]]'
stub id 'echo 0'
absent='make' setup
expect "exit 1" exits 1
expect "the package is named" says 'could not install make'

new_case no_dpkg
setup fuzz
expect "exit 0, CMake will name what it cannot find" exits 0
expect "what is wanted" says 'libeigen3-dev'
expect "of the group asked for" says 'clang'

new_case unknown_group
stub_dpkg
stub apt-get ''
setup bild
expect "exit 2" exits 2
expect "the groups there are" says "no group 'bild'"

new_case skipped
stub_dpkg
stub apt-get ''
export MINDGAP_SKIP_SETUP=1
absent='make' setup
unset MINDGAP_SKIP_SETUP
expect "exit 0" exits 0
expect "silence" silent

((failures == 0)) && echo "setup_test: all passed"
exit $((failures > 0))
