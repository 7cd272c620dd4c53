" Syntax of TrainSpec. Made by share/syntax.sh.
if exists('b:current_syntax')
  finish
endif
syn case match
syn match trainspecComment '//.*$' contains=@Spell
syn region trainspecString start='"' skip='\\.' end='"' oneline
syn match trainspecNumber '\<\d[0-9_]*\(\.\d\+\)\?\([eE][-+]\?\d\+\)\?\>'
syn match trainspecUnit '\(\d\s*\)\@<=\<\(ps\|ns\|us\|ms\|s\|min\|h\|d\|B\|kB\|MB\|GB\|TB\|PB\|KiB\|MiB\|GiB\|TiB\|PiB\|b\|kb\|Mb\|Gb\|Tb\|Kib\|Mib\|Gib\|FLOP\|kFLOP\|MFLOP\|GFLOP\|TFLOP\|PFLOP\|Hz\|kHz\|MHz\|GHz\|W\|kW\|MW\|J\|kJ\|MJ\|GJ\|Wh\|kWh\|MWh\|GWh\|g\|kg\)\(/s\)\?\>'
syn keyword trainspecReserved and else false fn for if import in let not or then true
syn keyword trainspecWord after any as at backward balanced before block by cast chunks cluster contracts copies depend device dim dtype expect export extern forward from gpu gradients input kernel key language limit link match maximize minimize model moving of offload on op optional order output over pair param partner place plan policy prefer protocol recompute record remove repeat replicate require rule saves schedule search sending set sha256 shard slice slot slow source split stages step strategy switch tie trained try uneven vary weight where whole with yield
syn keyword trainspecType Int Real Bool String Time Size Rate Work WorkRate Frequency Power Money Price Energy CarbonIntensity Tensor Axis Label Overlap DType List Record Gpu Cluster Function Model Strategy Schedule Any Batch Precision UpdateKernel Optimizer Host
hi def link trainspecComment Comment
hi def link trainspecString String
hi def link trainspecNumber Number
hi def link trainspecUnit Special
hi def link trainspecReserved Keyword
hi def link trainspecWord Statement
hi def link trainspecType Type
let b:current_syntax = 'trainspec'
