# Manual and references. Lists: ./dev sources.

#: nobase_dist_doc_DATA += doc/*.md doc/decisions/*.md doc/recipes/*.md doc/pictures/*.svg doc/pictures/*.png doc/pictures/accuracy/*.svg
nobase_dist_doc_DATA += \
	doc/README.md \
	doc/accuracy.md \
	doc/accuracy_inputs.md \
	doc/architecture.md \
	doc/calibration.md \
	doc/checks.md \
	doc/compare.md \
	doc/costs.md \
	doc/decisions/01_base.md \
	doc/decisions/02_two_evaluations.md \
	doc/decisions/03_axes.md \
	doc/decisions/04_rank_graphs.md \
	doc/decisions/05_operators.md \
	doc/decisions/06_messages.md \
	doc/decisions/07_kahn_network.md \
	doc/decisions/08_threads.md \
	doc/decisions/09_repeated_items.md \
	doc/decisions/10_verified_once.md \
	doc/decisions/11_any_of.md \
	doc/decisions/12_deadlock.md \
	doc/decisions/13_latency.md \
	doc/decisions/14_links.md \
	doc/decisions/15_cost_sources.md \
	doc/decisions/16_host.md \
	doc/decisions/17_text_form.md \
	doc/decisions/18_sweep_sessions.md \
	doc/decisions/19_layers.md \
	doc/decisions/20_link_tables.md \
	doc/decisions/21_digests.md \
	doc/decisions/22_own_code.md \
	doc/decisions/23_loggops.md \
	doc/diagnostics.md \
	doc/discovery.md \
	doc/editors.md \
	doc/getting_started.md \
	doc/graph_json.md \
	doc/import.md \
	doc/ir.md \
	doc/json.md \
	doc/language.md \
	doc/limits.md \
	doc/logs.md \
	doc/messages.md \
	doc/models.md \
	doc/networks.md \
	doc/overlap.md \
	doc/papers.md \
	doc/pictures/accuracy/attention.svg \
	doc/pictures/accuracy/between_nodes.svg \
	doc/pictures/accuracy/calibrated.svg \
	doc/pictures/accuracy/collectives.svg \
	doc/pictures/accuracy/ep_bandwidth.svg \
	doc/pictures/accuracy/gemm.svg \
	doc/pictures/accuracy/korthikanti.svg \
	doc/pictures/accuracy/megatron_memory.svg \
	doc/pictures/accuracy/memory.svg \
	doc/pictures/accuracy/mlperf.svg \
	doc/pictures/accuracy/moe_layer.svg \
	doc/pictures/accuracy/nanotron.svg \
	doc/pictures/accuracy/nanotron_multi.svg \
	doc/pictures/accuracy/nanotron_stalled.svg \
	doc/pictures/accuracy/narayanan.svg \
	doc/pictures/accuracy/nccl_a100.svg \
	doc/pictures/accuracy/nccl_h100.svg \
	doc/pictures/accuracy/operators.svg \
	doc/pictures/accuracy/own_papers.svg \
	doc/pictures/accuracy/pairs.svg \
	doc/pictures/accuracy/published_dense.svg \
	doc/pictures/accuracy/published_moe.svg \
	doc/pictures/accuracy/simumax.svg \
	doc/pictures/accuracy/tpu.svg \
	doc/pictures/accuracy/trace_batch.svg \
	doc/pictures/accuracy/trace_boards.svg \
	doc/pictures/accuracy/trace_four.svg \
	doc/pictures/accuracy/trace_gpu.svg \
	doc/pictures/accuracy/trace_h100.svg \
	doc/pictures/accuracy/trace_models.svg \
	doc/pictures/accuracy/trace_models_step.svg \
	doc/pictures/accuracy/trace_other.svg \
	doc/pictures/accuracy/trace_products.svg \
	doc/pictures/accuracy/trace_step.svg \
	doc/pictures/accuracy/vtrain_multi.svg \
	doc/pictures/accuracy/vtrain_single.svg \
	doc/pictures/accuracy/zero_bubble.svg \
	doc/pictures/step_dark.png \
	doc/pictures/step_light.png \
	doc/pictures/zb_v.svg \
	doc/playground.md \
	doc/python.md \
	doc/recipes/README.md \
	doc/recipes/allocator.md \
	doc/recipes/calibrate.md \
	doc/recipes/choose_degrees.md \
	doc/recipes/data_parallelism.md \
	doc/recipes/does_it_fit.md \
	doc/recipes/experts.md \
	doc/recipes/failures.md \
	doc/recipes/faster_nics.md \
	doc/recipes/find_names.md \
	doc/recipes/fp8.md \
	doc/recipes/gradient_accumulation.md \
	doc/recipes/hidden_communication.md \
	doc/recipes/how_sure.md \
	doc/recipes/large_search.md \
	doc/recipes/long_sequences.md \
	doc/recipes/lora.md \
	doc/recipes/megatron_arguments.md \
	doc/recipes/micro_batch.md \
	doc/recipes/notebook.md \
	doc/recipes/offload.md \
	doc/recipes/other_gpu.md \
	doc/recipes/other_simulators.md \
	doc/recipes/oversubscribed.md \
	doc/recipes/own_kernels.md \
	doc/recipes/own_network.md \
	doc/recipes/own_schedule.md \
	doc/recipes/picture.md \
	doc/recipes/recompute.md \
	doc/recipes/recording.md \
	doc/recipes/review.md \
	doc/recipes/several_steps.md \
	doc/recipes/straggler.md \
	doc/recipes/torchtitan_file.md \
	doc/recipes/training_script.md \
	doc/recipes/uneven_stages.md \
	doc/recipes/where_time_goes.md \
	doc/recipes/which_schedule.md \
	doc/reports.md \
	doc/roadmap.md \
	doc/schedules.md \
	doc/strategies.md \
	doc/sweeps.md \
	doc/tracer.md \
	doc/traces.md \
	doc/tutorial.md


#: dist_man_MANS = doc/man/*.1
dist_man_MANS = \
	doc/man/trainspec.1 \
	doc/man/tsc.1 \
	doc/man/tsfmt.1 \
	doc/man/tsrun.1


#: EXTRA_DIST += doc/site/*
EXTRA_DIST += \
	doc/site/build.py \
	doc/site/contents \
	doc/site/page.html \
	doc/site/site.css \
	doc/site/site.js
