#!/usr/bin/env bash
# Writes the page with every chart and opens it.
#   run.sh NODE CHROMIUM GALLERY [--screenshots DIR]
set -euo pipefail
node=$1 chromium=$2 gallery=$3
shift 3
for program in "$node" "$chromium"; do
  [[ -x $program ]] && continue
  echo "no node or no Chromium ('$node', '$chromium'): tools/setup test installs both;" >&2
  echo "configuring with -DMINDGAP_TEST_BROWSER=OFF leaves this test out" >&2
  exit 1
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$gallery" "$work/gallery.html"
"$node" "$(dirname "${BASH_SOURCE[0]}")/check.mjs" "$chromium" "$work/gallery.html" "$@"
