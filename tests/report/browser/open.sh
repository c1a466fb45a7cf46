#!/usr/bin/env bash
# Opens pages in Chromium and checks them, with axe-core from npm, which is kept in FOLDER.
#   open.sh NODE NPM CHROMIUM FOLDER PAGE... [--screenshots DIR]
set -euo pipefail
node=$1 npm=$2 chromium=$3 folder=$4
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for program in "$node" "$npm" "$chromium"; do
  [[ -x $program ]] && continue
  echo "no node, npm or Chromium ('$node', '$npm', '$chromium'): tools/setup test installs them;" >&2
  echo "configuring with -DMINDGAP_TEST_BROWSER=OFF leaves this test out" >&2
  exit 1
done
mkdir -p "$folder"
(
  flock 9  # one test at a time fetches it
  cmp -s "$here/package-lock.json" "$folder/installed" && exit
  cp "$here"/package.json "$here"/package-lock.json "$here"/.npmrc "$folder"
  (cd "$folder" && "$npm" ci --ignore-scripts --loglevel=error)
  cp "$here/package-lock.json" "$folder/installed"
) 9> "$folder/lock"
"$node" "$here/check.mjs" "$chromium" "$folder/node_modules/axe-core/axe.min.js" "$@"
