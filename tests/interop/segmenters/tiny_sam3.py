"""SAM 3 with random weights and a tokenizer of single letters: small enough for a test."""

import pytest
import torch

SIDE = 56


def saved(out):
    """Save the two into a folder, as transformers does; returns the folder."""
    library = pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    modelling = pytest.importorskip("transformers.models.sam3.modeling_sam3")
    library.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}
    backbone = sizes | {
        "model_type": "sam3_vit_model",
        "num_hidden_layers": 2,
        "image_size": SIDE,
        "patch_size": 14,
        "window_size": 2,
        "global_attn_indexes": [1],
        "pretrain_image_size": 28,
    }
    shapes = [[16, 16], [8, 8], [4, 4]]
    text = {"model_type": "clip_text_model", "vocab_size": 300, "projection_dim": 16, "num_hidden_layers": 1}
    config = library.Sam3Config(
        vision_config={"backbone_config": backbone, "fpn_hidden_size": 32, "backbone_feature_sizes": shapes},
        text_config=sizes | text | {"max_position_embeddings": 32, "bos_token_id": 0, "eos_token_id": 1},
        geometry_encoder_config=sizes | {"num_layers": 1},
        detr_encoder_config=sizes | {"num_layers": 1},
        detr_decoder_config=sizes | {"num_layers": 1, "num_queries": 5},
        mask_decoder_config={"hidden_size": 32, "num_attention_heads": 2, "num_upsampling_stages": 2},
    )
    modelling.Sam3Model(config).save_pretrained(out)
    letters = [chr(97 + number) for number in range(26)]
    words = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]
    library.CLIPTokenizer(vocab={word: number for number, word in enumerate(words)}, merges=[]).save_pretrained(out)
    return out
