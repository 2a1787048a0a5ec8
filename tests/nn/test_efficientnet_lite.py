import torch

from glam.nn.efficientnet_lite import HEAD, MAP_STAGES, STAGES, EfficientNetLite0, published_name


def network(stages: int = len(STAGES)) -> EfficientNetLite0:
    torch.manual_seed(0)
    return EfficientNetLite0(stages)


def test_it_is_of_the_published_size() -> None:
    classifier = (HEAD + 1) * 1000
    assert sum(parameter.numel() for parameter in network().parameters()) + classifier == 4_652_008


def test_the_whole_network_halves_five_times_and_the_map_four_times() -> None:
    images = torch.rand(2, 3, 64, 96)
    assert network()(images).shape == (2, 1280, 2, 3)
    assert network(MAP_STAGES)(images).shape == (2, 112, 4, 6)


def test_training_changes_parameters_and_no_statistics() -> None:
    net = network(MAP_STAGES)
    before = {name: buffer.clone() for name, buffer in net.named_buffers()}
    net.eval()
    images = torch.rand(2, 3, 32, 32)
    out = net(images)
    net.train()
    assert torch.equal(net(images), out)
    net(images).square().sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    assert all(torch.equal(buffer, before[name]) for name, buffer in net.named_buffers())


def test_a_step_of_the_image_by_the_stride_is_a_step_of_the_map() -> None:
    """So padding is right: away from the edges the map moves with the image."""
    net = network(2).eval()
    images = torch.rand(1, 3, 64, 64)
    moved = torch.roll(images, 4, dims=3)
    torch.testing.assert_close(net(moved)[..., 5:13], net(images)[..., 4:12])


def test_every_tensor_has_one_published_name() -> None:
    names = [published_name(name) for name in network().state_dict()]
    assert len(set(names)) == len(names) == 245
    assert {"_conv_stem.weight", "_bn0.running_var", "_blocks.0._bn1.bias", "_blocks.15._project_conv.weight"} < {
        *names
    }
