# A shell script that shares a lock file and respects the lock. Arguments: LOCK LOG COUNTER NAME.
# Each line on standard input starts one turn; it is the number of seconds to hold the lock.
lock=$1 log=$2 counter=$3 name=$4
turn=0
while read -r stay; do
    turn=$((turn + 1))
    if ( set -C; printf 'pid=%s\ntimestamp=%s\ntag=%s\n' "$$" "$(date +%s)" "$name" >"$lock" ) 2>/dev/null
    then
        trap 'rm -f "$lock"' EXIT
        printf 'E %s %s\n' "$name" "$turn" >>"$log"
        read -r number <"$counter"
        [ "$stay" = 0 ] || sleep "$stay"
        number=$((number + 1))
        printf '%20d\n' "$number" 1<>"$counter" # one write, so a kill leaves no half number
        printf 'L %s %s %s\n' "$name" "$turn" "$number" >>"$log"
        rm -f "$lock"
        trap - EXIT
        echo entered
    else
        echo refused
    fi
done
