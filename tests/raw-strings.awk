# Finds calls that print strings without escaping them for where they go (base/escape.h): %s, formats and texts that are no literals, bytes. Files of C, one
# after the other.
BEGIN { RS = "\001" }

# The call's arguments, with every string and character literal made Q; format: its literals, joined.
function take_call(text,   depth, at, c, quote, out) {
  depth = 1; format = ""; out = ""
  for (at = 1; depth; at++) {
    c = substr(text, at, 1)
    if (c == "") break
    if (c == "\"" || c == "'") {
      quote = c
      for (at++; (c = substr(text, at, 1)) != quote && c != ""; at++) {
        if (c == "\\") at++
        format = format substr(text, at, 1)
      }
      out = out "Q"; continue
    }
    depth += (c == "(") - (c == ")")
    if (depth) out = out (c == "," && depth > 1 ? ";" : c)
  }
  gsub(/PRI[a-zA-Z0-9]+/, "", out); gsub(/[ \t\n]+/, "", out); gsub(/Q+/, "Q", out)
  return out
}

# Q, or a choice between such.
function is_literal(argument) { return argument ~ /^([^?]*\?)?Q(:([^?]*\?)?Q)*$/ }

function first(arguments) { sub(/,.*/, "", arguments); return arguments }

function wrong(name, arguments,   rest) {
  if (name ~ /^(fwrite|vfprintf|vprintf|dprintf|perror)$/) return 1
  if (name ~ /^(fputs|puts|fputc|putc|putchar)$/) return !is_literal(first(arguments))
  rest = arguments
  if (name == "fprintf") sub(/^[^,]*,/, "", rest)
  return !is_literal(first(rest)) || format ~ /%[-+ #0-9.*]*s/
}

{
  gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "")
  text = $0; line = ""
  while (match(text, /[^A-Za-z0-9_](printf|fprintf|vfprintf|vprintf|dprintf|fputs|puts|fputc|putc|putchar|fwrite|perror)\(/)) {
    name = substr(text, RSTART + 1, RLENGTH - 2)
    text = substr(text, RSTART + RLENGTH)
    arguments = take_call(text)
    if (wrong(name, arguments)) print FILENAME ": " name "(" substr(arguments, 1, 80) ")"
  }
}
