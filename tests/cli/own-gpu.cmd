# The tables of doc/own_gpu.md are the record of std and the fields that the compiler reads; those of doc/operator_tables.md are the mapping of std.
page=../../doc/own_gpu.md
of_page() { sed -n "/<!-- $1 -->/,/^\$/p" "$2" | grep '^| `'; }
of_record() { awk '/^record TrainingCosts/ { on = 1; next } /^}/ { on = 0 } on' ../../stdlib/costs/training.ts |
  sed -E 's/^  (\w+): ([^=]*[^ =])( = (.*))? \/\/ (.*)$/| `\1` | \2 | `\4` | \5 |/; s/`` /needed /'; }
of_record | diff - <(of_page costs $page) && echo "fields of TrainingCosts: $(of_record | wc -l)"
of_compiler() { sed -n '/^static const known_field known/,/;$/p' ../../compiler/eval/gpu.c | grep -oE '\{"[a-z0-9_]+"' | tr -d '{"' | sort; }
of_compiler | diff - <(of_page gpu $page | cut -d'`' -f2 | sort) && echo "fields of a gpu: $(of_compiler | wc -l)"
kinds() { { echo input; sed -nE 's/.*kind: (if tied then )?"([a-z_|]+)".*/\2/p' ../../stdlib/import/plain.ts | tr '|' '\n'; } | sort -u; }
kinds | diff - <(of_page plain ../../doc/operator_tables.md | cut -d'`' -f2 | sort) && echo "kinds of plain: $(kinds | wc -l)"
