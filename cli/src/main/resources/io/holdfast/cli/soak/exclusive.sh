# A shell script that shares a lock file and plays by the rules: LOCK LOG COUNTER NAME.
# Each line on standard input is one turn, and says for how many seconds to stay inside.
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
        printf '%20d\n' "$number" 1<>"$counter" # in one piece, whenever it is killed
        printf 'L %s %s %s\n' "$name" "$turn" "$number" >>"$log"
        rm -f "$lock"
        trap - EXIT
        echo entered
    else
        echo refused
    fi
done
