# The standard library: installed, and embedded so that the programs run from anywhere. Lists: ./dev sources.

#: stdlib_files = stdlib/*.ts stdlib/fits/* stdlib/import/*.json stdlib/networks/*
stdlib_files = \
	stdlib/accuracy/calibration.ts \
	stdlib/accuracy/errors.ts \
	stdlib/accuracy/errors_chosen.ts \
	stdlib/calibration.ts \
	stdlib/clusters/dgx.ts \
	stdlib/clusters/fabrics.ts \
	stdlib/clusters/graphs.ts \
	stdlib/clusters/hgx.ts \
	stdlib/clusters/islands.ts \
	stdlib/clusters/linked.ts \
	stdlib/clusters/meshes.ts \
	stdlib/clusters/nccl.ts \
	stdlib/clusters/numbers.ts \
	stdlib/clusters/rooms.ts \
	stdlib/clusters/spines.ts \
	stdlib/clusters/topologies.ts \
	stdlib/clusters/tpu.ts \
	stdlib/costs.ts \
	stdlib/costs/hosts.ts \
	stdlib/costs/power.ts \
	stdlib/costs/prices.ts \
	stdlib/costs/sources.ts \
	stdlib/costs/training.ts \
	stdlib/errors.ts \
	stdlib/errors_chosen.ts \
	stdlib/exchange.ts \
	stdlib/fits/a100_pcie_conv_fp32.fit.json \
	stdlib/fits/a100_pcie_elementwise.fit.json \
	stdlib/fits/a100_pcie_fp32.fit.json \
	stdlib/fits/a100_sxm.fit.json \
	stdlib/fits/a100_sxm_experts.fit.json \
	stdlib/fits/a100_sxm_latent.fit.json \
	stdlib/fits/b200_sxm.fit.json \
	stdlib/fits/b200_sxm_cast.fit.json \
	stdlib/fits/b200_sxm_experts.fit.json \
	stdlib/fits/b200_sxm_fp8.fit.json \
	stdlib/fits/b200_sxm_fp8_block.fit.json \
	stdlib/fits/b200_sxm_latent.fit.json \
	stdlib/fits/b200_sxm_nvfp4.fit.json \
	stdlib/fits/b200_sxm_scan.fit.json \
	stdlib/fits/b300_sxm.fit.json \
	stdlib/fits/b300_sxm_cast.fit.json \
	stdlib/fits/b300_sxm_experts.fit.json \
	stdlib/fits/b300_sxm_fp8.fit.json \
	stdlib/fits/b300_sxm_fp8_block.fit.json \
	stdlib/fits/b300_sxm_nvfp4.fit.json \
	stdlib/fits/gb200.fit.json \
	stdlib/fits/gb200_cast.fit.json \
	stdlib/fits/gb200_experts.fit.json \
	stdlib/fits/gb200_fp8.fit.json \
	stdlib/fits/gb200_fp8_block.fit.json \
	stdlib/fits/gb200_latent.fit.json \
	stdlib/fits/gb200_nvfp4.fit.json \
	stdlib/fits/gb300.fit.json \
	stdlib/fits/gb300_cast.fit.json \
	stdlib/fits/gb300_fp8.fit.json \
	stdlib/fits/gb300_fp8_block.fit.json \
	stdlib/fits/gb300_nvfp4.fit.json \
	stdlib/fits/h100_sxm.fit.json \
	stdlib/fits/h100_sxm_cast.fit.json \
	stdlib/fits/h100_sxm_elementwise.fit.json \
	stdlib/fits/h100_sxm_experts.fit.json \
	stdlib/fits/h100_sxm_fp32.fit.json \
	stdlib/fits/h100_sxm_fp8.fit.json \
	stdlib/fits/h100_sxm_fp8_block.fit.json \
	stdlib/fits/h100_sxm_latent.fit.json \
	stdlib/fits/h200_sxm.fit.json \
	stdlib/fits/h200_sxm_cast.fit.json \
	stdlib/fits/h200_sxm_experts.fit.json \
	stdlib/fits/h200_sxm_fp8.fit.json \
	stdlib/fits/h200_sxm_fp8_block.fit.json \
	stdlib/fits/h200_sxm_latent.fit.json \
	stdlib/fits/l40s.fit.json \
	stdlib/fits/l40s_cast.fit.json \
	stdlib/fits/l40s_fp8.fit.json \
	stdlib/fits/l4_elementwise.fit.json \
	stdlib/fits/l4_fp32.fit.json \
	stdlib/fits/v100_pcie_conv_fp32.fit.json \
	stdlib/fits/v100_pcie_elementwise.fit.json \
	stdlib/fits/v100_pcie_fp32.fit.json \
	stdlib/frameworks/accelerate.ts \
	stdlib/frameworks/arctic.ts \
	stdlib/frameworks/automodel.ts \
	stdlib/frameworks/axolotl.ts \
	stdlib/frameworks/bridge.ts \
	stdlib/frameworks/deepspeed.ts \
	stdlib/frameworks/deepspeed_keys.ts \
	stdlib/frameworks/hf.ts \
	stdlib/frameworks/job.ts \
	stdlib/frameworks/launch.ts \
	stdlib/frameworks/llama_factory.ts \
	stdlib/frameworks/maxtext.ts \
	stdlib/frameworks/megatron.ts \
	stdlib/frameworks/megatron_arguments.ts \
	stdlib/frameworks/megatron_bridge.ts \
	stdlib/frameworks/megatron_core.ts \
	stdlib/frameworks/megatron_model.ts \
	stdlib/frameworks/megatron_others.ts \
	stdlib/frameworks/nanotron.ts \
	stdlib/frameworks/nemo.ts \
	stdlib/frameworks/nvidia.ts \
	stdlib/frameworks/optimizers.ts \
	stdlib/frameworks/prime_rl.ts \
	stdlib/frameworks/primus.ts \
	stdlib/frameworks/primus_megatron.ts \
	stdlib/frameworks/primus_torchtitan.ts \
	stdlib/frameworks/profile.ts \
	stdlib/frameworks/swift.ts \
	stdlib/frameworks/torch.ts \
	stdlib/frameworks/torchtitan.ts \
	stdlib/frameworks/transformers.ts \
	stdlib/gpus/amazon.ts \
	stdlib/gpus/amd.ts \
	stdlib/gpus/blackwell.ts \
	stdlib/gpus/geforce.ts \
	stdlib/gpus/google.ts \
	stdlib/gpus/hopper.ts \
	stdlib/gpus/intel.ts \
	stdlib/gpus/nvidia.ts \
	stdlib/hosts.ts \
	stdlib/import/aiob.ts \
	stdlib/import/aten.ts \
	stdlib/import/counted.ts \
	stdlib/import/hf.ts \
	stdlib/import/hf_encoders.ts \
	stdlib/import/hf_experts.ts \
	stdlib/import/hf_hybrids.ts \
	stdlib/import/hf_keys.ts \
	stdlib/import/hf_late.ts \
	stdlib/import/hf_names.ts \
	stdlib/import/hf_others.ts \
	stdlib/import/hf_pictures.ts \
	stdlib/import/hf_renamed.ts \
	stdlib/import/hf_types.ts \
	stdlib/import/logs.ts \
	stdlib/import/ops.ts \
	stdlib/import/plain.ts \
	stdlib/import/published.json \
	stdlib/import/recorded.ts \
	stdlib/import/simai.ts \
	stdlib/import/torch_fx.ts \
	stdlib/import/triosim.ts \
	stdlib/machines.ts \
	stdlib/models/adapters.ts \
	stdlib/models/bert.ts \
	stdlib/models/clip.ts \
	stdlib/models/decoder.ts \
	stdlib/models/deepseek.ts \
	stdlib/models/densenet.ts \
	stdlib/models/gemma.ts \
	stdlib/models/gpt.ts \
	stdlib/models/gpt_oss.ts \
	stdlib/models/grok.ts \
	stdlib/models/hf_decoder.ts \
	stdlib/models/hf_t5.ts \
	stdlib/models/hf_towers.ts \
	stdlib/models/layers.ts \
	stdlib/models/llama.ts \
	stdlib/models/llama4.ts \
	stdlib/models/llama_eager.ts \
	stdlib/models/llama_moe.ts \
	stdlib/models/lora.ts \
	stdlib/models/mixtral.ts \
	stdlib/models/mpt.ts \
	stdlib/models/nemotron.ts \
	stdlib/models/per_layer.ts \
	stdlib/models/qwen3.ts \
	stdlib/models/resnet.ts \
	stdlib/models/t5.ts \
	stdlib/models/timm_convnext.ts \
	stdlib/models/towers.ts \
	stdlib/models/vgg.ts \
	stdlib/models/vit.ts \
	stdlib/models/zamba.ts \
	stdlib/network_models.ts \
	stdlib/networks.ts \
	stdlib/networks/a100_sxm.json \
	stdlib/networks/a100_sxm_curves.json \
	stdlib/networks/b200_sxm.json \
	stdlib/networks/b300_sxm.json \
	stdlib/networks/efa.json \
	stdlib/networks/efa_p4.json \
	stdlib/networks/gb200.json \
	stdlib/networks/gb300.json \
	stdlib/networks/h100_sxm.json \
	stdlib/networks/h100_sxm_curves.json \
	stdlib/networks/h200_sxm.json \
	stdlib/networks/infiniband.json \
	stdlib/networks/nccl_ampere.json \
	stdlib/networks/nccl_blackwell.json \
	stdlib/networks/nccl_hopper.json \
	stdlib/networks/nvl72.json \
	stdlib/networks/roce.json \
	stdlib/networks/slingshot11.json \
	stdlib/networks/slingshot11_shared.json \
	stdlib/networks/tcpx.json \
	stdlib/ops/compressed.ts \
	stdlib/ops/delta.ts \
	stdlib/ops/eager.ts \
	stdlib/ops/fused.ts \
	stdlib/ops/latent.ts \
	stdlib/ops/mamba.ts \
	stdlib/ops/moe.ts \
	stdlib/ops/nn.ts \
	stdlib/ops/routing.ts \
	stdlib/ops/streams.ts \
	stdlib/ops/tiled.ts \
	stdlib/ops/torch.ts \
	stdlib/optimizers/adam.ts \
	stdlib/power.ts \
	stdlib/precision.ts \
	stdlib/prices.ts \
	stdlib/schedules/beside.ts \
	stdlib/schedules/chimera.ts \
	stdlib/schedules/controllable_memory.ts \
	stdlib/schedules/dual_pipe.ts \
	stdlib/schedules/file.ts \
	stdlib/schedules/gpipe.ts \
	stdlib/schedules/hop.ts \
	stdlib/schedules/interleaved.ts \
	stdlib/schedules/local_sgd.ts \
	stdlib/schedules/one_f_one_b.ts \
	stdlib/schedules/single.ts \
	stdlib/schedules/waves.ts \
	stdlib/schedules/zero_bubble.ts \
	stdlib/start.ts \
	stdlib/strategies/context.ts \
	stdlib/strategies/data.ts \
	stdlib/strategies/deepspeed.ts \
	stdlib/strategies/experts.ts \
	stdlib/strategies/fp8.ts \
	stdlib/strategies/local_sgd.ts \
	stdlib/strategies/megatron.ts \
	stdlib/strategies/offload.ts \
	stdlib/strategies/outputs.ts \
	stdlib/strategies/recompute.ts \
	stdlib/strategies/tied.ts \
	stdlib/tools/causes.ts \
	stdlib/tools/choices.ts \
	stdlib/tools/names.ts \
	stdlib/tools/orders.ts \
	stdlib/tools/start.ts \
	stdlib/tools/ways_out.ts \
	stdlib/training.ts \
	stdlib/ways_out.ts

nobase_dist_pkgdata_DATA += $(stdlib_files)

# Embedded copy, declared in compiler/eval/stdlib_embed.h.
nodist_libts_a_SOURCES += compiler/eval/stdlib_embed.c
CLEANFILES += compiler/eval/stdlib_embed.c tools/store_std$(EXEEXT) tools/store_fits$(EXEEXT)
EXTRA_DIST += tools/embed.sh
compiler/eval/stdlib_embed.c: $(stdlib_files) stdlib/stdlib.mk tools/embed.sh
	$(AM_V_GEN)$(MKDIR_P) compiler/eval && AWK="$(AWK)" $(SHELL) $(srcdir)/tools/embed.sh ts_stdlib compiler/eval/stdlib_embed.h "$(srcdir)" $(stdlib_files) > $@.tmp && mv $@.tmp $@


# Its syntax trees and its fits, by programs that this machine runs; what is compiled for another machine reads the texts.
stdlib_stored = compiler/eval/stdlib_trees.c compiler/lower/stdlib_fits.c
nodist_libts_a_SOURCES += $(stdlib_stored)
CLEANFILES += $(stdlib_stored)
EXTRA_PROGRAMS += tools/store_std tools/store_fits
tools_store_std_SOURCES = tools/store_std.c
store_std_objects = $(filter base/% lang/%,$(libts_a_OBJECTS))
tools_store_std_LDADD = $(store_std_objects) $(ts_libs)
tools_store_std_DEPENDENCIES = $(store_std_objects)
tools_store_fits_SOURCES = tools/store_fits.c
# Training, which fit_table.c calls, is in calibrate/.
store_fits_objects = $(filter-out cost/fit_table.%,$(filter base/% cost/%,$(libts_a_OBJECTS)))
tools_store_fits_LDADD = $(store_fits_objects) $(ts_libs)
tools_store_fits_DEPENDENCIES = $(store_fits_objects)
if CROSS
compiler/eval/stdlib_trees.c: stdlib/stdlib.mk
	$(AM_V_GEN)$(MKDIR_P) compiler/eval && { echo '#include "compiler/eval/stdlib_embed.h"' && echo 'const ts_stored_trees ts_stdlib_trees = {0};'; } > $@.tmp && mv $@.tmp $@
compiler/lower/stdlib_fits.c: stdlib/stdlib.mk
	$(AM_V_GEN)$(MKDIR_P) compiler/lower && { echo '#include "compiler/lower/stdlib_fits.h"' && echo 'const ts_stored_fits ts_stdlib_fits = {0};'; } > $@.tmp && mv $@.tmp $@
else
compiler/eval/stdlib_trees.c: $(stdlib_files) stdlib/stdlib.mk tools/store_std$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) compiler/eval && store=$$(pwd)/tools/store_std$(EXEEXT) && (cd $(srcdir) && "$$store" $(stdlib_files)) > $@.tmp && mv $@.tmp $@
compiler/lower/stdlib_fits.c: $(stdlib_files) stdlib/stdlib.mk tools/store_fits$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) compiler/lower && store=$$(pwd)/tools/store_fits$(EXEEXT) && (cd $(srcdir) && "$$store" $(stdlib_files)) > $@.tmp && mv $@.tmp $@
endif
