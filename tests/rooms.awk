# Who includes whom, against the table of rooms in doc/architecture.md: rooms.awk doc/architecture.md SOURCE...
# Prints what breaks the promises: a room may include the rooms that its row names, all of which stand above it, so rooms form no circle;
# inside a room a file and its header are one node, and no circle has more than five.
function room(file) { sub(/\/[^\/]*$/, "", file); return file }
function node(file) { sub(/\.[a-z]+$/, "", file); return file }

FNR == NR { # the table
  if ($0 !~ /^\| `[a-z\/]+\/` \|/) next
  split($0, cell, "|")
  name = cell[2]; gsub(/[` ]|\/ *$/, "", name); sub(/\/$/, "", name)
  known[name] = ++rooms
  many = split(cell[4], allowed, /[`, ]+/)
  for (i = 1; i <= many; i++)
    if (allowed[i] == "all") all[name] = 1
    else if (allowed[i] != "") {
      may[name, allowed[i]] = 1
      if (!(allowed[i] in known)) print "doc/architecture.md: " name " may include " allowed[i] ", which does not stand above it"
    }
  next
}

FNR == 1 {
  from = room(FILENAME)
  used[from] = 1
  if (!(from in known)) print FILENAME ": its room is not in the table of doc/architecture.md"
  if (!(node(FILENAME) in number)) { number[node(FILENAME)] = ++nodes; of[nodes] = from; named[nodes] = node(FILENAME) }
}

/^#include "/ {
  split($0, part, "\"")
  to = room(part[2])
  if (part[2] !~ /\//) next # generated beside its user
  if (to != from && !all[from] && !((from, to) in may)) print FILENAME ": " from " may not include " part[2]
  if (to == from && node(part[2]) != node(FILENAME)) edge[node(FILENAME), node(part[2])] = 1
}

END {
  for (r in known)
    if (!(r in used)) print "doc/architecture.md: there is no room " r
  for (e in edge) {
    split(e, end, SUBSEP)
    if ((end[1] in number) && (end[2] in number)) reach[number[end[1]], number[end[2]]] = 1
  }
  for (k = 1; k <= nodes; k++) # Warshall; edges stay inside of a room
    for (i = 1; i <= nodes; i++)
      if (of[i] == of[k] && ((i, k) in reach))
        for (j = 1; j <= nodes; j++)
          if (of[j] == of[k] && ((k, j) in reach)) reach[i, j] = 1
  for (i = 1; i <= nodes; i++) {
    count = 1; circle = named[i]
    for (j = 1; j <= nodes; j++)
      if (i != j && ((i, j) in reach) && ((j, i) in reach)) {
        count++; circle = circle " " named[j]
        if (j < i) count = -nodes
      }
    if (count > 5) print "a circle of " count " files: " circle
  }
}
