#!/usr/bin/env bash
# The pages that commands write, in a real browser: a decision with its tipping points, with and without places on
# a map, a study, and a case study.
#   pages.sh NODE CHROMIUM BIN SOURCE
set -euo pipefail
node=$1 chromium=$2 bin=$3 source=$4
for program in "$node" "$chromium"; do
  [[ -x $program ]] && continue
  echo "no node or no Chromium ('$node', '$chromium'): tools/setup test installs both" >&2
  exit 1
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vans=$source/examples/vans
"$bin/mindgap" decide "$vans" --units 8 --horizon 40 --coverage "$vans/coverage.csv" --log "$vans/pilot.csv" --worlds 20 \
  --plans sop,asop,pilot-8x4 --tipping --time-limit 1 --report "$work/decision.html" --quiet > /dev/null || [[ $? == 3 ]]
cp -r "$source/tests/models/forest3" "$work/forest"
printf '\n[observation]\nreward_variance = 1\n' >> "$work/forest/model.toml"
"$bin/mindgap" decide "$work/forest" --units 3 --horizon 12 --reward-sd 1 --transition-strength 5 \
  --worlds 20 --report "$work/forest.html" --quiet > /dev/null || [[ $? == 3 ]]
sh "$source/examples/study/run" "$bin" "$work/study" 10 30 > /dev/null
"$bin/mindgap" study report "$work/study/study" --out "$work/study.html"
"$bin/mindgap" reproduce stateless --report "$work/stateless.html" --quiet > /dev/null
"$node" "$source/tests/report/browser/check.mjs" "$chromium" "$work"/*.html
