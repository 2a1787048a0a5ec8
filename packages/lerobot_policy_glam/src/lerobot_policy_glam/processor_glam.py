"""LeRobot's processors around the policy: names, batch dimension and device. Numbers are not changed."""

from typing import Any

from lerobot.processor import (
    AddBatchDimensionProcessorStep,
    DeviceProcessorStep,
    NormalizerProcessorStep,
    PolicyAction,
    PolicyProcessorPipeline,
    RenameObservationsProcessorStep,
    UnnormalizerProcessorStep,
)
from lerobot.processor.converters import policy_action_to_transition, transition_to_policy_action

from glam.interop.export_lerobot import POSTPROCESSOR, PREPROCESSOR
from lerobot_policy_glam.configuration_glam import GlamConfig

Batch = dict[str, Any]


def make_glam_pre_post_processors(
    config: GlamConfig, dataset_stats: dict[str, dict[str, Any]] | None = None
) -> tuple[PolicyProcessorPipeline[Batch, Batch], PolicyProcessorPipeline[PolicyAction, PolicyAction]]:
    """The steps that `glam export` writes as JSON. The normalizers do nothing; LeRobot looks them up by name."""
    scaling = {"norm_map": config.normalization_mapping, "stats": dataset_stats}
    every = {**config.input_features, **config.output_features}
    before = PolicyProcessorPipeline[Batch, Batch](
        steps=[
            RenameObservationsProcessorStep(rename_map={}),
            AddBatchDimensionProcessorStep(),
            DeviceProcessorStep(device=config.device),
            NormalizerProcessorStep(features=every, **scaling),
        ],
        name=PREPROCESSOR,
    )
    after = PolicyProcessorPipeline[PolicyAction, PolicyAction](
        steps=[
            UnnormalizerProcessorStep(features=config.output_features, **scaling),
            DeviceProcessorStep(device="cpu"),
        ],
        name=POSTPROCESSOR,
        to_transition=policy_action_to_transition,
        to_output=transition_to_policy_action,
    )
    return before, after
