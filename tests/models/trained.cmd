g='gpt(layers: 8, hidden: 1024, heads: 16, vocab: 51200, seq: 1024' l='llama(layers: 8, hidden: 1024, heads: 16, kv_heads: 4, ffn: 4096, vocab: 32000, seq: 4096)'
m='llama_moe(layers: 4, hidden: 1024, heads: 16, kv_heads: 4, ffn: 2048, experts: 16, top: 2, shared: 512, vocab: 32000, seq: 4096'
./trained.sh "-D 'model=$g)'" "-D 'model=$g, flash: true)'" "-D 'model=$g)' -D again=true" "-D 'model=$g, flash: true)' -D again=true" "-D 'model=$g)' -D tp=2 -D dp=2 -D pp=4" \
  "-D 'model=$g, flash: true)' -D cp=4" "-D 'model=$g, flash: true)' -D cp=2 -D heads=true" "-D 'model=$g)' -D tp=4 -D sequence=true" "-D 'model=$g)' -D fp8=true" &&
./trained.sh "-D 'model=$l'" "-D 'model=$l' -D again=true" "-D 'model=$l' -D cp=8" "-D 'model=$l' -D tp=4 -D sequence=true -D dp=2 -D pp=2" &&
./trained.sh "-D 'model=$m)'" "-D 'model=$m, load: 2)'" "-D 'model=$m, load: 1.2718)' -D ep=4" "-D 'model=$m, load: 3.5)' -D ep=8 -D again=true -D pp=2" "-D 'model=$m, load: 1.5)' -D ep=2 -D tp=2 -D sequence=true" "-D 'model=$m, load: 2)' -D cp=2 -D ep=4 -D fp8=true" "-D 'model=$m, load: zipf(16, 0.5))' -D ep=4" "-D 'model=$m, load: dirichlet(16, 8.5, 4))' -D ep=8 -D pp=2"
