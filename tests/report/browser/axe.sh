#!/usr/bin/env bash
# Says where axe-core is; fetches it from npm into FOLDER the first time.
#   axe.sh NODE NPM CHROMIUM FOLDER
set -euo pipefail
node=$1 npm=$2 chromium=$3 folder=$4
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
  (cd "$folder" && "$npm" ci --ignore-scripts --loglevel=error >&2)
  cp "$here/package-lock.json" "$folder/installed"
) 9> "$folder/lock"
echo "$folder/node_modules/axe-core/axe.min.js"
