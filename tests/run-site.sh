#!/usr/bin/env bash
# The site of doc/ (./dev site): it is made, has every page, and no link leads nowhere.
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
command -v cmark-gfm >/dev/null || skip_all "no cmark-gfm: ./dev deps cmark-gfm"
command -v python3 >/dev/null || skip_all "no python3"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
made=$(python3 "$root/doc/site/build.py" "$build" "$scratch/site" 2>&1) && made=
report "the site is made, and its links lead somewhere" "$made"
report "every page of the manual is on the site" "$(cd "$root/doc" && for page in *.md recipes/*.md; do
  name=$(basename "$page" .md)
  case $page in README.md) name=index ;; recipes/README.md) name=recipes ;; esac
  [ -f "$scratch/site/$name.html" ] || echo "$page: name it in doc/site/contents"
done)"
cp -r "$root/doc" "$scratch/doc"
cp "$root"/*.md "$scratch/"
ln -s "$root/examples" "$scratch/examples"
echo '[nowhere](limits.md#no-such-heading)' >>"$scratch/doc/limits.md"
report "a link to a heading that is not there is refused" "$(cd "$scratch" && ! python3 doc/site/build.py "$build" "$scratch/broken" 2>&1 |
  grep -q 'limits.html#no-such-heading' && echo "it was made")"
summary
