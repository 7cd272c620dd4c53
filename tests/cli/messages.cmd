# Each code has its section in doc/messages.md, and each example there gives the code that it is of.
codes() { sed -nE 's/^DIAG\(([A-Z][0-9]+), [a-z]+, "([^"]*)".*/\1 \2/p' ../../base/diag_codes.def | sort; }
codes | diff - <(sed -n 's/^### //p' ../../doc/messages.md | sort) && echo "all codes: $(codes | wc -l)"
page=$(cd ../../doc && pwd)/messages.md; mkdir "$scratch/page"; cp -r ../../examples "$scratch/page"; cd "$scratch/page"; count=0
gives() { # CODE OPTIONS: of the file `example`
  case $(head -1 example) in
    '$ '*) bash -c "$(sed 's/^. //' example)" >said 2>&1 ;;
    'plan "'*|plan\ *[!{]|axis*|stream*|device*|'array '*) mv example example.tsir; tsrun $2 example.tsir >said 2>&1 ;;
    *) mv example example.ts; eval "tsc -o out.ir $2 example.ts" >said 2>&1 ;;
  esac
  grep -qE "\[$1\]|^  $1 " said || { echo "$1: not given"; head -5 said; }
}
while IFS= read -r line; do
  case $line in
    '<!-- file plan.trainspec -->') code=file ;;
    '### '*) section=${line#\#\#\# }; reasons=$reasons\ ${section%% *} ;;
    'No example: '*) echo "$section: ${line#No example: }"; reasons=${reasons% *} ;;
    '<!-- gives '*) reasons=${reasons% "${section%% *}"}; code=${line#<!-- gives }; code=${code% -->}; options=${code#"${code%% *}"}; code=${code%% *} ;;
    '```') if [ -n "$inside" ]; then
        [ "$code" = file ] && mv example plan.trainspec || { gives "$code" "$options"; count=$((count + 1)); }; inside= code=
      elif [ -n "$code" ]; then inside=yes; : >example; fi ;;
    *) [ -z "$inside" ] || printf '%s\n' "$line" >>example ;;
  esac
done <"$page"
echo "examples: $count; with neither an example nor a reason:$reasons"
