#!/usr/bin/env bash
# The pages that commands write, in a real browser: a decision with its tipping points, with and without places on
# a map, a study, a diagnosis, a pilot, a comparison, and a case study.
#   pages.sh NODE NPM CHROMIUM AXE BIN SOURCE
set -euo pipefail
node=$1 npm=$2 chromium=$3 axe=$4 bin=$5 source=$6
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
"$bin/mindgap" diagnose "$vans" --coverage "$vans/coverage.csv" --draws 20 --report "$work/diagnosis.html" --quiet > /dev/null
"$bin/mindgap" design "$vans" --units 4 --steps 10 --coverage "$vans/coverage.csv" --report "$work/pilot.html" \
  --quiet > /dev/null || [[ $? == 3 ]]
"$bin/mindgap" compare treasure --planners sop,asop --trials 3 --report "$work/comparison.html" --quiet > /dev/null
"$source/tests/report/browser/open.sh" "$node" "$npm" "$chromium" "$axe" "$work"/*.html
