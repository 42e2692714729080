# A shell script that takes no heed of anybody, as in the published protocol: LOCK LOG COUNTER NAME.
# Each line on standard input is one turn, and says for how many seconds to stay inside.
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
