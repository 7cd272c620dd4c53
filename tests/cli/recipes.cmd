# Every recipe of doc/recipes, as cli/docs.
. ./_docs.sh
for file in "$root"/doc/recipes/*.md; do page "recipes/${file##*/}"; done
