# Long. Its searches are.
. ./_docs.sh
page tutorial.md
