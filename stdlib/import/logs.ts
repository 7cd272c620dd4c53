// Lines of the logs of training programs, for `trainspec log`. A line that has all texts of `has` is of
// its kind; `reads` says which numbers stand in it. A log of one's own: a file that declares
// `log_formats`, `log_columns` and `log_lists` likewise, for `trainspec log --formats FILE`.

// A number: behind the text `after` (and blanks, `:`, `=`, quotes), or right before the text `before`.
// `figure`: step, seconds (of a step), steps_per_second, clock (seconds), batch (samples),
// samples_per_second, tokens_per_second (of a device), tflops (of a device), loss, memory, reserved
// (bytes of a device), run_seconds (of all steps), pause_seconds.
record LogReading{figure : String
after: String = ""
before: String = ""
  times: Real = 1
}
// `kind`: "step" is done, "beside": more of the last step, "paused": an evaluation or a checkpoint,
// "setting": holds from there on, "whole": the time of the run. `sum`: numbers of one figure are added,
// else the first one that stands there counts.
record LogLine {
  has: List[String]
  kind: String = "step"
  reads: List[LogReading] = []
  sum: Bool = false
}
record LogFormat {
  name: String
  lines: List[LogLine]
}

fn _at(figure: String, after: String, times: Real = 1) -> LogReading = { figure: figure, after: after, times: times }
let _mib = 1048576.0
  let _gib = 1073741824.0

let log_formats: List[LogFormat] = [
  {
    name: "Megatron-LM", // training_log() of megatron/training; also Megatron-Bridge, Megatron-DeepSpeed, Primus
    lines: [
      {
        has: ["elapsed time per iteration (ms):"],
        reads: [
          _at("step", "iteration"),
          _at("seconds", "elapsed time per iteration (ms):", 0.001),
          _at("batch", "global batch size:"),
          _at("loss", "lm loss:"),
          _at("loss", "lm-loss:"),
          _at("tflops", "throughput per GPU (TFLOP/s/GPU):"),
          _at("tflops", "TFLOPs:"),
          _at("tokens_per_second", "tokens per GPU (tokens/s/GPU):"),
          _at("samples_per_second", "samples per second:"),
        ],
      },
      {
        has: ["memory (MB) |", "max allocated:"],
        kind: "beside",
        reads: [_at("memory", "max allocated:", _mib), _at("memory", "max_allocated:", _mib), _at("reserved", "max reserved:", _mib)],
      },
      { has: ["validation loss at iteration"], kind: "paused" },
      { has: ["saving checkpoint at iteration"], kind: "paused" },
      { has: ["saved checkpoint from iteration"], kind: "paused" },
    ],
  },
  {
    name: "NeMo", // lightning's progress lines of NeMo 2
    lines: [
      {
        has: ["train_step_timing in s:"],
        reads: [
          _at("step", "global_step:"),
          _at("step", "iteration"),
          _at("seconds", "train_step_timing in s:"),
          _at("batch", "global_batch_size:"),
          _at("loss", "reduced_train_loss:"),
        ],
      },
      {
        has: ["\"train_step_timing in s\":", "DLLL"], // dllogger's lines
        reads: [_at("step", "\"step\":"), _at("seconds", "\"train_step_timing in s\":"), _at("loss", "\"reduced_train_loss\":")],
      },
    ],
  },
  {
    name: "MLPerf", // mlperf_logging
    lines: [
      { has: [":::MLLOG", "\"global_batch_size\""], kind: "setting", reads: [_at("batch", "\"value\":")] },
      {
        has: [":::MLLOG", "\"train_step_time\":", "\"step\":"],
        reads: [
          _at("step", "\"step\":"),
          _at("seconds", "\"train_step_time\":"),
          _at("loss", "\"reduced_train_loss\":"),
          _at("clock", "\"time_ms\":", 0.001),
        ],
      },
      {
        has: [":::MLLOG", "\"train_step_timing in s\":"], // its steps count samples or words
        reads: [_at("seconds", "\"train_step_timing in s\":"), _at("clock", "\"time_ms\":", 0.001)],
      },
      {
        has: [":::MLLOG", "\"throughput\":"],
        reads: [_at("samples_per_second", "\"throughput\":"), _at("clock", "\"time_ms\":", 0.001)],
      },
      { has: [":::MLLOG", "\"eval_start\""], kind: "paused" },
    ],
  },
  {
    name: "torchtitan", // metrics.py
    lines: [
      {
        has: ["step:", "tps:", "memory:"],
        reads: [
          _at("step", "step:"),
          _at("loss", "loss:"),
          _at("reserved", "memory:"),
          _at("tokens_per_second", "tps:"),
          _at("tflops", "tflops:"),
        ],
      },
      { has: ["Saving the checkpoint"], kind: "paused" },
      { has: ["validate step:"], kind: "paused" },
    ],
  },
  {
    name: "MaxText",
    lines: [
      {
        has: ["completed step:", "seconds:"],
        reads: [
          _at("step", "completed step:"),
          _at("seconds", "seconds:"),
          _at("tflops", "TFLOP/s/device:"),
          _at("tokens_per_second", "Tokens/s/device:"),
          _at("loss", "loss:"),
        ],
      },
    ],
  },
  {
    name: "DeepSpeed-Chat", // steps of PPO, generation included
    lines: [{ has: ["E2E latency="], reads: [_at("seconds", "E2E latency="), _at("samples_per_second", "CurSamplesPerSec=")] }],
  },
  {
    name: "DeepSpeed", // its pipeline engine, and its timer of throughput
    lines: [
      {
        has: ["steps:", "iter time (s):"],
        reads: [
          _at("step", "steps:"),
          _at("seconds", "iter time (s):"),
          _at("samples_per_second", "samples/sec:"),
          _at("loss", "loss:"),
        ],
      },
      {
        has: ["global_step=", "SamplesPerSec="],
        reads: [
          _at("step", "global_step="),
          _at("samples_per_second", "CurrSamplesPerSec="),
          _at("memory", "MaxMemAllocated="),
        ],
      },
    ],
  },
  {
    name: "nanotron",
    lines: [
      {
        has: ["elapsed_time_per_iteration_ms:"],
        reads: [
          _at("step", "iteration:"),
          _at("seconds", "elapsed_time_per_iteration_ms:", 0.001),
          _at("batch", "global_batch_size:"),
          _at("tokens_per_second", "tokens_per_sec_per_gpu:"),
          _at("tflops", "model_tflops_per_gpu:"),
          _at("loss", "lm_loss:"),
        ],
      },
      {
        has: ["Peak allocated", "Peak reserved"],
        kind: "beside",
        reads: [_at("memory", "Peak allocated", _mib), _at("reserved", "Peak reserved:", _mib)],
      },
    ],
  },
  {
    name: "prime-rl",
    lines: [
      {
        has: ["Step ", "| Time:"],
        reads: [_at("step", "Step "), _at("seconds", "Time:"), _at("loss", "Loss:"), _at("memory", "Peak Mem.:", _gib)],
      },
    ],
  },
  {
    name: "InternEvo",
    lines: [
      {
        has: ["tgs (tokens/gpu/second)", "fwd_bwd_time"],
        reads: [
          _at("step", "step="),
          _at("tokens_per_second", "tgs (tokens/gpu/second)"),
          _at("tflops", "tflops="),
          _at("loss", "loss="),
        ],
      },
    ],
  },
  {
    name: "verl",
    lines: [
      {
        has: ["step:", "timing_s/step:"],
        reads: [_at("step", "step:"), _at("seconds", "timing_s/step:")],
      },
      {
        has: ["step:", "timing/gen:"], // phases, one after the other
        sum: true,
        reads: [_at("step", "step:")] + [
          _at("seconds", phase)
            for phase in ["timing/gen:", "timing/ref:", "timing/values:", "timing/adv:", "timing/update_critic:", "timing/update_actor:"]
        ],
      },
    ],
  },
  {
    name: "Weights & Biases", // lines of a history
    lines: [
      {
        has: ["\"_step\":", "\"_runtime\":"],
        reads: [_at("step", "\"_step\":"), _at("clock", "\"_runtime\":"), _at("loss", "\"loss\":"), _at("loss", "\"train/loss\":")],
      },
    ],
  },
  {
    name: "Hugging Face Trainer", // trainer_state.json, and what it prints
    lines: [
      { has: ["\"eval_runtime\":"], kind: "paused", reads: [_at("pause_seconds", "\"eval_runtime\":")] },
      { has: ["\"predict_runtime\":"], kind: "paused", reads: [_at("pause_seconds", "\"predict_runtime\":")] },
      {
        has: ["\"train_runtime\":", "\"step\":"],
        kind: "whole",
        reads: [_at("step", "\"step\":"), _at("run_seconds", "\"train_runtime\":")],
      },
      { has: ["'eval_runtime':"], kind: "paused", reads: [_at("pause_seconds", "'eval_runtime':")] },
      { has: ["s/it]", "%|"], reads: [_at("step", "| "), { figure: "seconds", before: "s/it]" }] },
      { has: ["it/s]", "%|"], reads: [_at("step", "| "), { figure: "steps_per_second", before: "it/s]" }] },
    ],
  },
]

// Columns of CSV files: of one's own, of TensorBoard, of Weights & Biases (behind `NAME - `).
let log_columns: List[LogReading] = [_at("step", n) for n in ["step", "iteration", "global_step", "iter"]] + [
  _at("seconds", n) for n in [
    "iteration-time",
    "iteration_time",
    "step_time",
    "step time",
    "step_time_s",
    "iter_time",
    "seconds",
    "time_per_step",
    "train_step_timing in s",
    "perf/step_time",
    "timing_s/step",
  ]
] + [
  _at("seconds", n, 0.001) for n in ["step_time_ms", "iteration_time_ms", "elapsed_time_per_iteration_ms", "ms"]
] + [_at("steps_per_second", n) for n in ["steps_per_second", "train_steps_per_second"]] + [
  _at("clock", n) for n in ["wall time", "wall_time", "_runtime", "_timestamp"]
] + [_at("batch", n) for n in ["batch-size", "batch_size", "global_batch_size"]] + [
  _at("loss", n) for n in ["lm loss", "loss", "train/loss", "train_loss"]
] + [
  _at("memory", n) for n in ["mem-max-allocated-bytes", "max_memory_allocated", "memory_bytes"]
] + [_at("memory", n, _gib) for n in ["memory_gib", "max_memory_gib"]]

// Members of JSON files that hold one entry for each line of a log.
let log_lists = ["log_history"]
