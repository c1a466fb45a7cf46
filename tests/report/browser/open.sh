#!/usr/bin/env bash
# Opens pages in Chromium and checks them, with axe-core from npm, which is kept in FOLDER.
#   open.sh NODE NPM CHROMIUM FOLDER PAGE... [--screenshots DIR]
set -euo pipefail
node=$1 npm=$2 chromium=$3 folder=$4
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
axe=$("$here/axe.sh" "$node" "$npm" "$chromium" "$folder")
"$node" "$here/check.mjs" "$chromium" "$axe" "$@"
