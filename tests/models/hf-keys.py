"""hf-keys.py STDLIB PAGE: what std.import.hf asks a configuration for, against the keys that it lists as known,
and its types against those of the page. A key that is asked for and not listed would be followed and warned of;
one that is listed and not asked for would be passed over."""
import glob
import re
import sys

# Listed and not asked for (model_type: by std.import.hf itself): they follow from other keys, or change neither size nor time.
IMPLIED = set("""model_type dense_act_fn is_gated_act relative_attention_max_distance n_ctx qk_head_dim
mamba_hidden_act time_step_floor time_step_limit time_step_max time_step_min
mtp_hybrid_override_pattern mtp_layers_block_type indexer_rope_interleave index_share_for_mtp_iteration
scale_decoder_outputs apply_query_key_layer_scaling attention_layers bias_dropout_fusion block_dim
block_mlp_init_scale block_norm_eps block_out_init_scale block_use_swiglu block_use_xavier_init conv_dim conv_dim_out
conv_use_xavier_init embedding_fraction enable_moe_fp32_combine expansion_ratio init_device interleaved_qkv
learned_pos_emb linear_a_log_max linear_a_log_min linear_allow_neg_eigval linear_dt_init_floor linear_dt_max
linear_dt_min load_balance_coeff mamba_d_head moe_norm_min mup_enabled no_bias norm_type original_rope
prefix_projection quantization_bit rope_dim route_norm route_scale router_scaling_factor scale_embedding score_func
z_loss_coefficient z_loss_weight
init_pos_emb_time merge_type mm_hidden_size mm_projector_type multi_modal_projector_bias pos_emb_time pos_emb_type
projector_dropout projector_hidden_act projector_ln_eps spatial_patch_size text_hidden_size
token_dropout esmfold_config vocab_list attn_input_format attn_mask_type encoder_activation fuse_qkv_params
qkv_weight_interleaved max_seq_length micro_batch_size encoder_stride pooler_output_size pooler_act
activation_sparsity_pattern compress_rope_theta hc_eps hc_sinkhorn_iters expert_dtype kda_safe_gate kda_lower_bound mtp_loss_scaling_factor post_norm qk_norm altup_active_idx altup_coef_clip altup_lr_multiplier add_bias_logits add_final_layer_norm apply_layernorm attention_in_multiplier attention_out_multiplier classif_dropout
classifier_proj_size extra_pos_embeddings force_bos_token_to_be_generated full_attn_alpha_factor full_attn_beta_factor
hidden_mamba_act hybrid_layer_ids is_encoder_decoder key_multiplier layernorm_full_attention_alpha
layernorm_full_attention_beta layernorm_linear_attention_alpha layernorm_linear_attention_beta layernorm_mlp_alpha
layernorm_mlp_beta layerscale_value linear_attn_alpha_factor linear_attn_beta_factor lm_head_multiplier
logit_scale_init_value mamba_headdim mamba_norm_before_gate mask_feature_length mask_feature_min_masks mask_feature_prob
mask_time_length mask_time_min_masks mask_time_prob median_filter_width mixer_rms_eps mlp_alpha_factor mlp_beta_factor
mlp_multipliers normalize_before normalize_embedding num_query_groups out_features out_indices reshape_hidden_states
ssm_in_multiplier ssm_multipliers ssm_out_multiplier stage_names static_position_embeddings text_config text_config_dict
time_step_init_scheme time_step_scale use_associative_scan use_falcon_mambapy use_long_context use_mambapy
use_mem_eff_path use_weighted_layer_sum vision_config vision_config_dict
tokens_per_second video_attn_type vision_feature_layer vision_feature_select_strategy vision_output_dim""".split())


def keys(text):
    return {word for literal in re.findall(r'"([^"]*)"', text) for word in literal.split()}


text = "\n".join(re.sub(r"//.*", "", open(f).read()) for f in sorted(glob.glob(sys.argv[1] + "/import/hf*.ts")))
lists = re.findall(r"\breads: .*|^let \w*(?:reads|experts)\w* =[^=]*?(?=^let|^fn)", text, re.M)
lists.append(text[text.index("let hf_common"):text.index("let hf_harmless")])
listed = set().union(*map(keys, lists))
harmless = keys(text[text.index("let hf_harmless"):text.index("fn hf_known")])
asked = set().union(*(keys(found) for found in re.findall(r'(?:hf_(?:or|raw|get|any|flag)|_fixed)\([^"()]*("[^"]*")', text)),
                    keys("".join(re.findall(r"let hf_mtp = .*", text))))
types = {word for found in re.findall(r'types: "([^"]*)"', text) for word in found.split()}
page = open(sys.argv[2]).read()
table = page[page.index("| | `model_type` |"):]
stated = {word for found in re.findall(r"`([^`]*)`", table[len("| | `model_type` |"):table.index("\n\n")]) for word in found.split()}
for what, names in (("asked for, not listed", asked - listed - harmless),
                    ("listed, not asked for", listed - asked - IMPLIED),
                    ("implied, and asked for", IMPLIED & asked),
                    ("types that are not on the page", types - stated), ("types on the page alone", stated - types)):
    print(f"{what}: {' '.join(sorted(names)) or 'none'}")
