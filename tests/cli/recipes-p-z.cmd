# Recipes of doc/recipes, as cli/docs; the other letters are cases of their own.
. ./_docs.sh
for file in "$root"/doc/recipes/[p-z]*.md; do page "recipes/${file##*/}"; done
