// Optimizers by the names that Hugging Face's trainer has for them (OptimizerNames of
// transformers/training_args.py), DeepSpeed (runtime/config.py) and importers over both: what each
// keeps of a parameter, and moves. States in 8 and 4 bits have a scale in fp32 for 256 and for 128
// numbers (bitsandbytes, functional.py; torchao, optim). Pages that lie on the host while the device
// lacks room are taken to fit.
import std.optimizers.adam

let _eight: Size = 1 B + 4 B / 256
let _four: Size = 0.5 B + 4 B / 128
let _known: List[Record] = [
  {
    names: "adam adamw Adam AdamW FusedAdam fused_adam fusedadam CPUAdam cpu_adam cpuadam DeepSpeedCPUAdam adamw_torch adamw_torch_fused adamw_torch_xla adamw_hf adamw_apex_fused adamw_anyprecision paged_adamw paged_adamw_32bit schedule_free_adamw",
    optimizer: adam(),
  },
  {
    names: "adamw_8bit adamw_bnb_8bit paged_adamw_8bit adamw_torch_8bit ao_adamw_8bit ao_adamw_fp8",
    optimizer: adam_in(_eight, _eight, fp32_copy),
  },
  { names: "adamw_torch_4bit ao_adamw_4bit", optimizer: adam_in(_four, _four, fp32_copy) },
  { names: "lion Lion lion_pytorch lion_32bit paged_lion_32bit rmsprop rmsprop_bnb rmsprop_bnb_32bit adagrad Adagrad", optimizer: sgd() },
  { names: "lion_8bit paged_lion_8bit rmsprop_bnb_8bit", optimizer: sgd(state: _eight) },
  { names: "sgd SGD", optimizer: sgd(momentum: false) },
  { names: "Lamb lamb FusedLamb", optimizer: lamb() },
]
fn _found(name: String, found: List) -> Optimizer = if found == [] then refuse(
  "the optimizer `" + name + "` has no record here: Adam, Lamb, Lion, RMSprop, Adagrad and SGD are followed",
) else found[0].optimizer
fn optimizer_named(name: String) -> Optimizer = _found(name, [k for k in _known if any([w == name for w in words(k.names)])])
