# A collective is exported as it is played: two channels of a ring over four devices. Each rank sends 144 all-reduces of 1024 x 1280 fp32 times 2 (n - 1)/n; all that is sent is received.
cd $scratch; trainspec export --format=goal -Dtp=4 $OLDPWD/../../examples/gpt2_large.ts -o job.goal; awk '
  /^rank / { rank = $2 }
  $2 == "send" { sent[rank] += $3; sends[rank]++; tag[$7]; left[rank " " $5 " " $7] += $3 }
  $2 == "recv" { left[$5 " " rank " " $7] -= $3 }
  END {
    for (r = 0; r < 4; r++) print "rank " r, sent[r] == 144 * 1024 * 1280 * 4 * 2 * 3 / 4 ? "sends the bytes of its calls" : sent[r], sends[r] " messages"
    for (t in tag) tags++; print tags " tags"
    for (k in left) { pairs++; if (left[k]) print "left over: " k, left[k] }
    print pairs " pairs that talk"
  }' job.goal; trainspec replay --loggops L=2000,o=100,g=5,G=0.0025,O=0,S=0 job.goal | head -1; rm job.goal
