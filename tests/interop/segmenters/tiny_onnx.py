"""ONNX files of a few nodes, written by hand: the format is protobuf, and these models need little of it.

Field numbers are those of onnx.proto: a field is a tag, number * 8 + wire type, and its value.
"""

FLOAT = 1


def encoder(side):
    """The image itself as every feature."""
    features = ("image_embed", "high_res_feats_0", "high_res_feats_1")
    nodes = [_node("Identity", ["image"], [name]) for name in features]
    shape = (1, 3, side, side)
    return _model(nodes, {"image": shape}, dict.fromkeys(features, shape))


def decoder(side, mask):
    """Masks are the first channel of the image, reduced, and its negative; scores are the kinds of the points."""
    nodes = [
        _node("Slice", ["image_embed", "zero", "one", "one"], ["channel"]),
        _node("AveragePool", ["channel"], ["small"], kernel_shape=[side // mask] * 2, strides=[side // mask] * 2),
        _node("Neg", ["small"], ["other"]),
        _node("Concat", ["small", "other"], ["masks"], axis=1),
        _node("Identity", ["point_labels"], ["iou_predictions"]),
    ]
    image = (1, 3, side, side)
    inputs = {
        "image_embed": image,
        "high_res_feats_0": image,
        "high_res_feats_1": image,
        "point_coords": (1, 2, 2),
        "point_labels": (1, 2),
        "mask_input": (1, 1, mask, mask),
        "has_mask_input": (1,),
    }
    numbers = {"zero": 0, "one": 1}
    return _model(nodes, inputs, {"masks": (1, 2, mask, mask), "iou_predictions": (1, 2)}, numbers)


def _model(nodes, inputs, outputs, numbers=()):
    graph = [_bytes(1, node) for node in nodes] + [_bytes(2, b"tiny")]
    graph += [_bytes(5, _int64(name, value)) for name, value in dict(numbers).items()]
    graph += [_bytes(11, _value(name, shape)) for name, shape in inputs.items()]
    graph += [_bytes(12, _value(name, shape)) for name, shape in outputs.items()]
    opset = _bytes(1, b"") + _number(2, 17)
    return _number(1, 8) + _bytes(7, b"".join(graph)) + _bytes(8, opset)


def _node(kind, inputs, outputs, **attributes):
    named = b"".join(_bytes(1, name.encode()) for name in inputs) + b"".join(_bytes(2, o.encode()) for o in outputs)
    return named + _bytes(4, kind.encode()) + b"".join(_bytes(5, _attribute(*pair)) for pair in attributes.items())


def _attribute(name, value):
    if isinstance(value, int):
        return _bytes(1, name.encode()) + _number(3, value) + _number(20, 2)
    return _bytes(1, name.encode()) + b"".join(_number(8, part) for part in value) + _number(20, 7)


def _int64(name, value):
    """A tensor of one whole number."""
    return _number(1, 1) + _number(2, 7) + _number(7, value) + _bytes(8, name.encode())


def _value(name, shape):
    dimensions = b"".join(_bytes(1, _number(1, size)) for size in shape)
    tensor = _number(1, FLOAT) + _bytes(2, dimensions)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _number(field, value):
    return _varint(field * 8) + _varint(value)


def _bytes(field, content):
    return _varint(field * 8 + 2) + _varint(len(content)) + content


def _varint(value):
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
