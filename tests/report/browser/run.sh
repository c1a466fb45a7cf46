#!/usr/bin/env bash
# Writes the page with every chart and opens it, with axe-core from npm.
#   run.sh NODE NPM CHROMIUM GALLERY FOLDER [--screenshots DIR]
set -euo pipefail
node=$1 npm=$2 chromium=$3 gallery=$4 folder=$5
shift 5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for program in "$node" "$npm" "$chromium"; do
  [[ -x $program ]] && continue
  echo "no node, npm or Chromium ('$node', '$npm', '$chromium'): tools/setup test installs them;" >&2
  echo "configuring with -DMINDGAP_TEST_BROWSER=OFF leaves this test out" >&2
  exit 1
done
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
  cp "$here"/package.json "$here"/package-lock.json "$here"/.npmrc "$folder"
  (cd "$folder" && "$npm" ci --ignore-scripts --loglevel=error)
  cp "$here/package-lock.json" "$folder/installed"
fi
"$gallery" "$folder/gallery.html"
"$node" "$here/check.mjs" "$chromium" "$folder/node_modules/axe-core/axe.min.js" "$folder/gallery.html" "$@"
