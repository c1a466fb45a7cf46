#!/usr/bin/env bash
# Writes the page with every chart and opens it.
#   run.sh NODE NPM CHROMIUM FOLDER GALLERY [--screenshots DIR]
set -euo pipefail
node=$1 npm=$2 chromium=$3 folder=$4 gallery=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$gallery" "$work/gallery.html"
"$(dirname "${BASH_SOURCE[0]}")/open.sh" "$node" "$npm" "$chromium" "$folder" "$work/gallery.html" "$@"
