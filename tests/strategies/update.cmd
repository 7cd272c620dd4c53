tsc -S _update.ts | sed -nE 's/^kernel (elementwise[.0-9]*|sgd) .* bytes ([^ ]* [^ ]*) .*/\1 \2/p; s/^  ("[a-z]+ gradients"|"gradient norm"|optimizer): compute ([a-z.0-9]+).*/\1 \2/p'
