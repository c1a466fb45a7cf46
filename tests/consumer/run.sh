#!/usr/bin/env bash
# Installs a built tree to a temporary prefix, then configures, builds and runs the consumer against it.
#   tests/consumer/run.sh BUILD_DIR
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIR}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/installed" >"$work/install.log"
# The package must not depend on where it was built or on this source tree.
if grep -rIl -F -e "$(cd "$here/../.." && pwd)" -e "$(cd "$build" && pwd)" "$work/installed"; then
  echo "the installed files above mention the source or build folder" >&2
  exit 1
fi
mv "$work/installed" "$work/moved"

cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log" ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/build"
(cd "$work" && build/consumer) | tee "$work/output"

cat >"$work/wanted" <<'END'
states 2 pairs 3 nonzeros 3 threads 2
values 2 4
evaluated 2
read back 2 states
read back 2 states
decided: deploy
refused: state 'here', action '1': transition probabilities must sum to 1 (got '0.5')
END
diff "$work/wanted" "$work/output"
if [[ -x $work/moved/bin/mindgap ]]; then
  "$work/moved/bin/mindgap" --version
fi
