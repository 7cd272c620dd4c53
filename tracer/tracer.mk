# The tracer, a Python package of its own (pip install tracer/). Lists: ./dev sources.

#: EXTRA_DIST += tracer/pyproject.toml tracer/trainspec_tracer/*.py tracer/trainspec_tracer/cuda/*.py tracer/examples/*.py tracer/tests/*.py tracer/tests/scripts/*.py
EXTRA_DIST += \
	tracer/examples/gpt.py \
	tracer/pyproject.toml \
	tracer/tests/scripts/bert.py \
	tracer/tests/scripts/cuda_gpt.py \
	tracer/tests/scripts/ddp.py \
	tracer/tests/scripts/deepspeed_calls.py \
	tracer/tests/scripts/fsdp2.py \
	tracer/tests/scripts/functional.py \
	tracer/tests/scripts/llama.py \
	tracer/tests/scripts/megatron_calls.py \
	tracer/tests/scripts/pipeline.py \
	tracer/tests/scripts/resnet.py \
	tracer/tests/scripts/ring_attention.py \
	tracer/tests/scripts/tensor_parallel.py \
	tracer/tests/tap.py \
	tracer/tests/test_cuda.py \
	tracer/tests/test_frameworks.py \
	tracer/tests/test_here.py \
	tracer/tests/test_tracer.py \
	tracer/trainspec_tracer/__init__.py \
	tracer/trainspec_tracer/__main__.py \
	tracer/trainspec_tracer/alike.py \
	tracer/trainspec_tracer/child.py \
	tracer/trainspec_tracer/cli.py \
	tracer/trainspec_tracer/cuda/__init__.py \
	tracer/trainspec_tracer/cuda/attention.py \
	tracer/trainspec_tracer/cuda/devices.py \
	tracer/trainspec_tracer/cuda/guard.py \
	tracer/trainspec_tracer/cuda/random.py \
	tracer/trainspec_tracer/cuda/runtime.py \
	tracer/trainspec_tracer/cuda/streams.py \
	tracer/trainspec_tracer/cuda/tensors.py \
	tracer/trainspec_tracer/graph.py \
	tracer/trainspec_tracer/groups.py \
	tracer/trainspec_tracer/memory.py \
	tracer/trainspec_tracer/modules.py \
	tracer/trainspec_tracer/overlap.py \
	tracer/trainspec_tracer/processes.py \
	tracer/trainspec_tracer/record.py \
	tracer/trainspec_tracer/redirect.py \
	tracer/trainspec_tracer/routing.py \
	tracer/trainspec_tracer/streams.py \
	tracer/trainspec_tracer/tensors.py \
	tracer/trainspec_tracer/thin.py \
	tracer/trainspec_tracer/turns.py
