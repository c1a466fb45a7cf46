#!/usr/bin/env bash
# Begins a study, serves it, and lets people use its page in Chromium, with axe-core from npm, which is kept in FOLDER.
#   run.sh NODE NPM CHROMIUM FOLDER MINDGAP [--screenshots DIR]
set -euo pipefail
node=$1 npm=$2 chromium=$3 folder=$4 mindgap=$5
shift 5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
axe=$("$here/../../report/browser/axe.sh" "$node" "$npm" "$chromium" "$folder")
work=$(mktemp -d)
server=
trap '[[ -n $server ]] && kill "$server" 2> /dev/null && wait "$server" || true; rm -rf "$work"' EXIT

mkdir "$work/model"
cat > "$work/model/model.toml" << 'END'
format = "mindgap-model/1"
name = "Vans & <i>schools</i>"
discount = 0.9
states = "states.csv"
actions = ["stay", "go"]
rewards = "rewards.csv"
transitions = "transitions.csv"
[prior]
reward_sd = 1.0
transition_strength = 5.0
[observation]
reward_variance = 1.0
END
printf 'name,group,x,y,start\nmarket,A,0,0,0.5\nschool,A,2,1,0.5\n' > "$work/model/states.csv"
printf 'state,action,reward\nmarket,stay,1\nmarket,go,0\nschool,stay,2\nschool,go,0\n' > "$work/model/rewards.csv"
{
  echo state,action,next_state,probability
  for state in market school; do for action in stay go; do for next in market school; do
    echo "$state,$action,$next,0.5"
  done; done; done
} > "$work/model/transitions.csv"
odd='<img src=x onerror=escaped=1>'
printf 'unit,state\nvan-1,market\n%s,school\nvan-3,market\nvan-4,school\nvan-5,market\n' "$odd" > "$work/units.csv"

study=$work/pilot
"$mindgap" study init "$study" --model "$work/model" --units "$work/units.csv" --horizon 6 --quiet > /dev/null
"$mindgap" study assign "$study" --quiet > /dev/null
password='correct horse battery'
echo "$password" | "$mindgap" study user add "$study" ada --role owner > /dev/null
echo "$password" | "$mindgap" study user add "$study" bo --role field --units "van-1,$odd" > /dev/null
echo "$password" | "$mindgap" study user add "$study" vi --role viewer > /dev/null
token=$("$mindgap" study user token "$study" ada --quiet)
cat > "$work/study.json" << END
{"owner": {"name": "ada", "password": "$password"}, "field": {"name": "bo", "password": "$password", "units": ["van-1", "$odd"]},
 "other": {"name": "vi", "password": "$password"}, "token": "$token", "place": "market"}
END
"$mindgap" study serve "$study" --listen 127.0.0.1:0 --format json > "$work/said" &
server=$!
for _ in $(seq 200); do [[ -s $work/said ]] && break; sleep .05; done
port=$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$work/said")
[[ -n $port ]] || { echo "the server did not start: $(cat "$work/said")" >&2; exit 1; }
"$node" "$here/check.mjs" "$chromium" "$axe" "$port" "$work/study.json" "$@"
kill "$server" && wait "$server" || { echo "the server ended with $?" >&2; exit 1; }
server=
"$mindgap" study verify "$study" --quiet > /dev/null
