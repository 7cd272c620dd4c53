# Commands, pages, sections, messages, names, words.
trainspec help | sed -n '1p;/^  language/p'; trainspec help topo | head -2; trainspec help limits | head -1; trainspec help exit codes | head -4; trainspec help E0304; trainspec help uneven-split; trainspec help idle-devices; trainspec help mfu; trainspec help W0322
trainspec help accumulate | grep -v stands; trainspec help mesh | head -2; trainspec help schedules | head -1; trainspec help frobnicate; trainspec help langage
