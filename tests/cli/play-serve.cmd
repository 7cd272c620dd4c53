# A play is watched as a sweep is: before the plan is there, while it plays (progress, what streams do, what waits); the report is the same. Wrong addresses are refused before anything.
examples=$PWD/../../examples; cd "$scratch"; mkfifo plan
get() { exec 4<>/dev/tcp/127.0.0.1/$port || return; printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&4; sed '1,/^\r$/d' <&4; exec 4<&-; }
address() { for i in $(seq 600); do port=$(sed -nE 's,.*http://127.0.0.1:([0-9]+)/.*,\1,p' err); [ "$port" ] && break; sleep 0.1; done; }
tsrun --serve 0 - <plan >report 2>err & pid=$!
exec 3>plan; address
get /status.json | jq -c '[.type, .play.what, .lanes]'; get / | grep -o '<title>[^<]*\|<h1>[^<]*'
cat "$examples/gpt2_large.ts" >&3; exec 3>&-; wait $pid; tsrun - <"$examples/gpt2_large.ts" 2>/dev/null | diff - report && echo 'the same report'
for how in '--no-fold -D dp=64' '--overlap=physical -D pp=16 -D global=12288'; do # about a second of play
  echo '{}' >last.json
  for again in $(seq 20); do # a quick machine may be done before it is asked
    tsrun --serve 0 --threads 1 $how "$examples/gpt3_175b.ts" >report 2>err & pid=$!
    address; until [ "$(jq '.lanes | length' last.json)" -gt 0 ]; do get /status.json >now.json 2>/dev/null || break; [ -s now.json ] && mv now.json last.json; done
    kill -INT $pid 2>/dev/null; { wait $pid; } 2>/dev/null
    [ "$(jq '.lanes | length' last.json)" -gt 0 ] && break
  done
  jq -c '[.file, (.play | .streams > 0 and .ready <= .streams), (.lanes | length > 0 and length <= 64)], (.lanes[0] | [.rank, .stream, (.state | type), .queue >= 0])' last.json
done
for at in x 99999 example.com:80; do tsrun --serve $at "$examples/gpt2_large.ts" 2>&1 >none | sed 's,/.*/,,' | head -2; done
