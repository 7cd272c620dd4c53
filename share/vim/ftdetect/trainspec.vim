" Plans end in .trainspec, or in .ts, which TypeScript has too: those are told by their first statement.
function! s:Ours() abort
  for text in getline(1, 50)
    if text =~# '^\s*\(//.*\)\?$'
      continue
    endif
    return text =~# '^\(language \d\|import std\.\|\(plan\|model\|block\|op\|strategy\|schedule\|rules\|record\|gpu\|cluster\|search\)\s\+\h\w*\s*[({=]\|param\s\+\h\w*\s*:\)'
  endfor
  return 0
endfunction
autocmd BufRead,BufNewFile *.trainspec set filetype=trainspec
autocmd BufRead,BufNewFile *.ts if s:Ours() | set filetype=trainspec | endif
