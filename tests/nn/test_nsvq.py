"""The quantiser: noise as long as the error in training, the nearest code at inference, and no codebook collapse."""

import torch
from torch import nn

from glam.nn.gaussian import Noise
from glam.nn.nsvq import NSVQ


def quantiser(*, tokens: int = 2, size: int = 3, codes: int = 4, seed: int = 0) -> NSVQ:
    torch.manual_seed(seed)
    return NSVQ(tokens=tokens, token_size=size, codes=codes)


def encodings(rows: int, size: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(rows, size, generator=torch.Generator().manual_seed(seed))


def test_inference_gives_the_nearest_code_of_each_token():
    model, encoded = quantiser(), encodings(10, 6)
    for row, indices, quantised in zip(encoded, model.indices(encoded), model.quantise(encoded), strict=True):
        for token, vector in enumerate(row.split(3)):
            distances = [(vector - code).norm().item() for code in model.codebook[token]]
            assert indices[token] == distances.index(min(distances))
            assert torch.equal(quantised.split(3)[token], model.codebook[token, indices[token]])


def test_training_moves_each_token_by_the_length_of_its_error_in_a_random_direction():
    model, encoded = quantiser(), encodings(10, 6)
    out = model(encoded, Noise.seeded(0))
    moved = (out - encoded).unflatten(1, (2, 3)).norm(dim=-1)
    error = (model.quantise(encoded) - encoded).unflatten(1, (2, 3)).norm(dim=-1)
    torch.testing.assert_close(moved, error)
    assert not torch.allclose(out, model(encoded, Noise.seeded(1)))
    assert torch.equal(out, model(encoded, Noise.seeded(0)))


def test_encoder_and_codebook_get_a_gradient_and_unused_codes_get_none():
    model, encoded = quantiser(), encodings(3, 6).requires_grad_()
    model(encoded, Noise.seeded(0)).square().sum().backward()
    used = torch.zeros(2, 4, dtype=torch.bool)
    for token in range(2):
        used[token, model.indices(encoded)[:, token]] = True
    assert (encoded.grad != 0).all()
    assert torch.equal(model.codebook.grad.abs().sum(-1) > 0, used)


def test_a_vector_on_its_code_has_a_finite_gradient():
    model = quantiser()
    encoded = model.codebook[:, 0].detach().flatten().unsqueeze(0).requires_grad_()
    model(encoded, Noise.seeded(0)).sum().backward()
    assert encoded.grad.isfinite().all()
    assert model.codebook.grad.isfinite().all()


def test_use_is_counted_in_training_only_and_kept_in_the_state():
    model, encoded = quantiser(), encodings(10, 6)
    model(encoded, Noise.seeded(0))
    model.eval()(encoded, Noise.seeded(0))
    assert model.usage.sum(1).tolist() == [10, 10]
    assert model.usage[0].tolist() == torch.bincount(model.indices(encoded)[:, 0], minlength=4).tolist()
    error = (model.quantise(encoded) - encoded).square().sum()
    torch.testing.assert_close(model.squared_error.sum(), error)
    assert {"codebook", "usage", "squared_error"} == model.state_dict().keys()


def test_dead_codes_move_the_others_stay_and_counting_starts_anew():
    model = quantiser(codes=4)
    before = model.codebook.detach().clone()
    model.usage[:] = torch.tensor([[50, 49, 0, 1], [25, 25, 25, 25]])
    model.squared_error[:] = torch.tensor([[5.0, 4.9, 0.0, 0.1], [1.0, 1.0, 1.0, 1.0]])
    assert model.replace_dead_codes(torch.Generator().manual_seed(0), 0.1) == 2
    moved = (model.codebook != before).any(-1)
    assert moved.tolist() == [[False, False, True, True], [False] * 4]
    assert model.usage.sum() == 0
    assert model.squared_error.sum() == 0


def test_a_moved_code_lands_as_far_from_its_donor_as_the_vectors_there():
    model = quantiser(tokens=1, size=2, codes=8)
    model.usage[0, 3], model.squared_error[0, 3] = 100, 100 * 0.25
    model.replace_dead_codes(torch.Generator().manual_seed(0))
    distances = (model.codebook[0] - model.codebook[0, 3]).norm(dim=-1)
    assert 0.1 < distances.sum() / 7 < 1.0


def test_replacement_without_any_count_changes_nothing():
    model = quantiser()
    before = model.codebook.detach().clone()
    assert model.replace_dead_codes(torch.Generator().manual_seed(0)) == 0
    assert torch.equal(model.codebook, before)


def test_replacement_depends_on_the_counts_and_the_generator_alone():
    def replaced(seed: int) -> torch.Tensor:
        model = quantiser()
        model.usage[:, 0], model.squared_error[:, 0] = 10, 10
        torch.manual_seed(seed)
        model.replace_dead_codes(torch.Generator().manual_seed(5))
        return model.codebook.detach()

    assert torch.equal(replaced(0), replaced(1))


def codes_used_after_training(*, with_replacement: bool) -> list[int]:
    """Learn to encode eight clusters per token, starting with a codebook of which all but one code lie far away."""
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    centres = 2.0 * torch.randn(8, 2, 4, generator=generator)  # (clusters, tokens, size)
    encode, decode, model = nn.Linear(8, 8), nn.Linear(8, 8), quantiser(tokens=2, size=4, codes=8)
    with torch.no_grad():
        model.codebook[:, 1:] += 30.0
    optimiser = torch.optim.Adam([*encode.parameters(), *decode.parameters(), *model.parameters()], lr=1e-2)
    clusters = torch.arange(2)
    for step in range(120):
        chosen = torch.randint(8, (64, 2), generator=generator)
        inputs = (centres[chosen, clusters] + 0.1 * torch.randn(64, 2, 4, generator=generator)).flatten(1)
        loss = (decode(model(encode(inputs), Noise(generator))) - inputs).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if with_replacement and step % 10 == 9 and step < 100:
            model.replace_dead_codes(generator, 0.1)
    chosen = torch.randint(8, (512, 2), generator=generator)
    indices = model.indices(encode(centres[chosen, clusters].flatten(1)))
    return [len(indices[:, token].unique()) for token in range(2)]


def test_a_codebook_with_a_bad_start_collapses_unless_dead_codes_are_replaced():
    assert max(codes_used_after_training(with_replacement=False)) <= 2
    assert min(codes_used_after_training(with_replacement=True)) >= 6
