# fish completion for TrainSpec. Programs answer from their tables of options (`--complete`), so nothing here can fall behind.

function __trainspec_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l own trainspec
    string match -q '*/*' -- $words[1]; and set own (dirname $words[1])/trainspec
    for line in ($words[1] --complete (math (count $words) - 1) $words[2..-1] $current 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
            case ':folders'
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $current)
            case ':params *'
                $own compile --list-params -- (string replace ':params ' '' -- $line) 2>/dev/null | string replace -rf '^ *([A-Za-z_][A-Za-z0-9_]*): *(.*)' '$1=\t$2'
            case ':names *'
                $own list (string replace ':names ' '' -- $line) --format=names 2>/dev/null
            case '*'
                echo $line
        end
    end
end

for program in trainspec tsc tsrun tsfmt
    complete -c $program -f -a '(__trainspec_complete)'
end
