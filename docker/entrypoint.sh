#!/bin/sh
# Starts convsim in the container: entrypoint.sh FOLDER [ARGUMENT...]. Without CONVSIM_STATE, the state is in FOLDER
# if a volume is mounted there, otherwise in memory. If the image declared a volume, each container would create one.
set -e

is_mounted() {
  # The fifth field of a line is the mount point. The fourth, a path within the mounted file system, can look the same.
  while read -r _ _ _ _ mount_point _; do
    [ "$mount_point" != "$1" ] || return 0
  done </proc/self/mountinfo
  return 1
}

folder=$1
shift
if [ -z "$CONVSIM_STATE" ]; then
  export CONVSIM_STATE=:memory:
  if is_mounted "$folder"; then CONVSIM_STATE=$folder/state.json; fi
fi
app=$(cd "$(dirname "$0")/.." && pwd)
exec node "$app/dist/cli.js" "$@"
