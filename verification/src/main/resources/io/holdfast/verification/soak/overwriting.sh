# A shell script that overwrites the lock file even while it is held, as in the published protocol. Arguments: LOCK LOG COUNTER NAME.
# Each line on standard input starts one turn; it is the number of seconds to hold the lock.
lock=$1 log=$2 counter=$3 name=$4
turn=0
while read -r stay; do
    turn=$((turn + 1))
    echo "pid=$$" >"$lock"
    echo "timestamp=$(date +%s)" >>"$lock"
    echo "tag=shell-script" >>"$lock"
    printf 'E %s %s\n' "$name" "$turn" >>"$log"
    read -r number <"$counter"
    [ "$stay" = 0 ] || sleep "$stay"
    number=$((number + 1))
    printf '%20d\n' "$number" 1<>"$counter"
    printf 'L %s %s %s\n' "$name" "$turn" "$number" >>"$log"
    rm -f "$lock"
    echo entered
done
