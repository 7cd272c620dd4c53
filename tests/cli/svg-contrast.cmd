# Texts on the boxes of a picture: the least contrast by WCAG 2.2, which asks for 4.5.
least() {
  tsrun --format=svg "$@" 2>/dev/null | grep -v 'width="0"' | awk '
    function light(hex,  i, v, sum, w) {
      split("0.2126 0.7152 0.0722", w, " ")
      for (i = 0; i < 3; i++) {
        v = (16 * (index("0123456789abcdef", substr(hex, 2 + 2 * i, 1)) - 1) + index("0123456789abcdef", substr(hex, 3 + 2 * i, 1)) - 1) / 255
        sum += w[i + 1] * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ^ 2.4)
      }
      return sum
    }
    /<pattern/ { match($0, /id="[a-z]+"/); id = substr($0, RSTART + 4, RLENGTH - 5); match($0, /fill="#[0-9a-f]+"/); colour[id] = substr($0, RSTART + 6, RLENGTH - 7) }
    /^\.[a-z]+\{fill:/ { line = $0; while (match(line, /\.[a-z]+\{fill:#[0-9a-f]+\}/)) { rule = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
        split(substr(rule, 2), part, /\{fill:|\}/); colour[part[1]] = part[2] } }
    /<rect class="[a-z]+( even)?"/ { match($0, /<rect class="[a-z]+/); on = colour[substr($0, RSTART + 13, RLENGTH - 13)] }
    /<text class="in/ { ink = $0 ~ "pale"; back = light(on)
      ratio = ink > back ? (ink + 0.05) / (back + 0.05) : (back + 0.05) / (ink + 0.05)
      count++; if (!(least && least < ratio)) least = ratio; seen[on] = 1; if (/ up/) bold++ }
    END { for (c in seen) colours++; printf "%d texts on %d colours, %d of later chunks, contrast %s\n", count, colours, bold, (least >= 4.5 ? "is 4.5 and more" : "goes down to " least) }'
}
least ../../examples/schedule_lab.ts
least -D 'schedule=interleaved_one_f_one_b(p: 4, m: 8, v: 2)' ../../examples/schedule_lab.ts
least -D 'schedule=zb_v(p: 4, m: 8)' ../../examples/schedule_lab.ts
least ../../examples/gpt2_large.ts
