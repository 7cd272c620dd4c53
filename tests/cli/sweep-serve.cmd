# A page of a journal while it is played, and one that only reads it; requests that are refused. Answers without what differs from run to run.
cp _sweep.ts $scratch/plan.ts; cd $scratch; rm -rf serve; mkdir serve; cp plan.ts serve; cd serve
ask() { exec 3<>/dev/tcp/127.0.0.1/$port; printf "$@" >&3; cat <&3; exec 3<&-; } # BYTES
get() { ask 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$1" "${2-127.0.0.1:$port}" | tr -d '\r'; }
body() { sed '1,/^$/d'; }
first() { head -1 | tr -d '\r'; }
trainspec sweep --all --vary m=2001..2020 --set dp=2 --journal j.db --serve 0 plan.ts >out 2>err
sed -nE 's,http://127.0.0.1:[0-9]+/,URL,; /URL/p' err
trainspec sweep status --serve 0 j.db >url 2>&1 & pid=$!
until [ -s url ]; do :; done
port=$(tr -dc 0-9: <url | cut -d: -f3)
echo "== what is there"
get /status.json | sed -E 's/"(silent_seconds|plans_per_second)": [0-9.e+]+, //g; s/"step_time": [0-9.]+/"step_time": T/; s/^Content-Length.*/Content-Length: N/'
get / | sed -n '1,/^$/s/^Content-Length.*/Content-Length: N/p'
get / | body | grep -c "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-[A-Za-z0-9+/=]*'; connect-src 'self'"
get / | body | tail -1
get '/status.json?x=1' | first; get / localhost | first; get / '[::1]:80' | first; get / "$(hostname)" | first
echo "== refused"
get / evil.example | first; get / 127.0.0.1.evil.example | first; get / '[::1].evil.example' | first; get /none | first; get /../plan.ts | first
ask 'POST / HTTP/1.0\r\nHost: localhost\r\n\r\n' | tr -d '\r' | sed -n '1p; /Allow/p'
ask 'GET / HTTP/1.0\r\n\r\n' | first; ask 'GET\r\n\r\n' | first; ask 'hello\r\n\r\n' | first; ask 'GET / HTTP/1.0\r\nHost: local\0host\r\n\r\n' | first; ask 'GET x HTTP/1.0\r\nHost: localhost\r\n\r\n' | first
ask "GET /$(printf '%*s' 5000 '' | tr ' ' x) HTTP/1.0\r\n" | first
echo "== more connections than there is room for: those that say nothing are ended, and then all are answered"
for i in $(seq 20); do eval "exec $((20 + i))<>/dev/tcp/127.0.0.1/$port"; done
for i in $(seq 16); do eval "exec $((20 + i))<&-"; done; get /status.json | first
kill $pid; { wait $pid; } 2>/dev/null
echo "== wrong addresses"
for at in x 99999 -1 : example.com:80; do trainspec sweep status --serve $at j.db 2>&1; echo "exit $?"; done
trainspec sweep --serve 0 plan.ts 2>&1; echo "exit $?"; trainspec sweep status --serve 0 none.db 2>&1; echo "exit $?"
