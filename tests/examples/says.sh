#!/bin/sh
# says.sh PROGRAM TEXT...: runs a program, which must end well and print every TEXT.
program=$1
shift
said=$("$program") || { echo "$program failed"; exit 1; }
for text in "$@"; do
  case $said in
    *"$text"*) ;;
    *) printf '%s\n\n%s does not say: %s\n' "$said" "$program" "$text"; exit 1 ;;
  esac
done
