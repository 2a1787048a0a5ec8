# %% [markdown]
"""# How does GLAM work?

A robot arm shows how to lift a cube, and its actions are recorded. A person with a hand-held gripper shows the same,
and there are no actions to record. This notebook makes a few demonstrations of both kinds, goes through the equations
of the method beside the code that computes them, trains a world model and a policy, and lets the policy act.

Everything is so small that it runs within a minute, and **too small to learn the task**. `make demo` does the same at
a size that learns; or set `PRESET` to `cpu`, `EPISODES` to 100 and `OUT` to another folder, and wait for half an hour.
"""

# %%
from pathlib import Path

from glam.recipes.world_models import Preset, world_model

PRESET: Preset = "smoke"
EPISODES = 4
TASK = "lift"
OUT = Path("runs/method")

# %% [markdown]
# The next cell is about showing things only: below the cell that asks for it, and everything once more on one page,
# `runs/method/index.html`, for those who run this file as a script.

# %%
from html import escape

from glam.reports.markup import Html, element
from glam.reports.page import card, film, grid, image, page, section, table, write_page

sections: list[Html] = []


class Shown:
    """A part of the page, in a frame of its own: its style must not reach the notebook."""

    def __init__(self, body: Html) -> None:
        self.body = body

    def _repr_html_(self) -> str:
        alone = element("style", "header, footer { display: none }")
        grow = "this.style.height = this.contentDocument.documentElement.scrollHeight + 20 + 'px'"
        source = escape(page("", "", alone, self.body))
        return f'<iframe srcdoc="{source}" onload="{grow}" style="width: 100%; border: 0"></iframe>'


def show(title: str, *body: Html) -> Shown:
    """Put something on the page, and below the cell."""
    sections.append(section(title, card(*body)))
    return Shown(card(*body))


# %% [markdown]
# ## 1. Two kinds of demonstrations
#
# `kinova` is a 7-joint arm, the **target**. `umi` is a hand-held gripper, the **auxiliary** source. Of both there are
# images, object masks and the pose of the gripper; actions and robot state are the target's alone.

# %%
from glam.data.reader import Dataset
from glam.stages.collect import CollectConfig, collect

target, auxiliary = OUT / "kinova", OUT / "umi"
collect(CollectConfig(TASK, "kinova", seed=0, image_size=64), target, EPISODES, workers=1)
collect(CollectConfig(TASK, "umi", seed=1000, image_size=64), auxiliary, EPISODES, workers=1)
for root in (target, auxiliary):
    dataset = Dataset.open(root)
    print(f"{root.name}: {len(dataset)} frames with {', '.join(dataset.schema.vectors)}")

# %%
import numpy as np
from numpy.typing import NDArray

from glam.reports.films import encode_film, enlarged, outlined, png, tiled


def moments(root: Path) -> list[NDArray[np.uint8]]:
    """Four frames of the first episode, with the mask of the cube outlined."""
    episode = Dataset.open(root).episode(0)
    frames = [round(moment * (len(episode) - 1)) for moment in (0.0, 0.4, 0.7, 1.0)]
    images = episode.images["observation.images.front"][frames]
    masks = episode.masks["observation.masks.front"][frames]
    return list(enlarged(outlined(images, masks, [(255, 60, 0)]), 3))


strip = png(tiled([moments(target), moments(auxiliary)], gap=4))
show("One task, two hands", image(strip, "four frames of an arm, and four of a hand-held gripper"))

# %% [markdown]
# Training sees windows of a few consecutive frames, as many of the target as of the auxiliary source. The latter have
# no field for actions that could be left empty: they are of another type. Everywhere `action[t]` takes frame $t$ to
# frame $t + 1$.

# %%
from dataclasses import replace

from glam.data.demonstrations import episodes_of
from glam.data.normalizer import Normalizer
from glam.stages.train_world_model import open_sources, train_world_model
from glam.world_models.window_sources import MixedBatches, sizes_of

recipe = world_model("glam-o", PRESET)
if PRESET == "smoke":  # ten times the steps of a smoke test, so that there is something to see
    batch_size = replace(recipe.batch, target_windows=8, auxiliary_windows=8)
    fit = replace(recipe.fit, steps=200, learning_rate=5e-3, save_every=200, validate_every=100)
    recipe = replace(recipe, batch=batch_size, fit=fit)

sources = open_sources(recipe, target, [auxiliary])
normalizer = Normalizer.fit(sources.target, sources.auxiliary)
batch = MixedBatches(sources.target, sources.auxiliary, normalizer, recipe.batch, seed=0)(0)
for kind, windows in (("target", batch.target), ("auxiliary", batch.auxiliary)):
    print(kind, {name: tuple(value.shape) for name, value in vars(windows).items()})

# %% [markdown]
# ## 2. Actions as a latent variable
#
# Nobody knows the action behind a transition of the auxiliary source. Let it be a latent variable $z_t$ of $d$
# numbers, in two generative models. One explains what all sources show, the other what the target alone knows (Eqs. 1
# and 2):
#
# $$p(X, O, Z) = p(x_1) \prod_t p(x_{t+1} | x_t, z_t) \, p(o_t | x_t) \, p(z_t)$$
#
# $$p(S, A, Z) = p(s_1) \prod_t p(s_{t+1} | s_t, z_t) \, p(a_t | z_t) \, p(z_t)$$
#
# `Glam` holds the networks of both. It has learnt nothing yet.

# %%
import torch
from torch import Tensor

torch.manual_seed(0)
model = recipe.model.build(sizes_of(sources.target, latent=8))
for name, network in model.named_children():
    print(f"{name:16}{sum(weights.numel() for weights in network.parameters()):8} weights")

# %% [markdown]
# ### What all sources show
#
# The state $x_t = (y_t, e_t)$ is a feature $y_t$ of the image, here of the object masks (the -O of the paper), and
# the pose $e_t$ of the gripper. The **inverse dynamics model** $q_\phi(z_t | x_t, x_{t+1})$ sees two states and says
# which action led from one to the other; the **forward model** must get from the first to the second with that alone.
# No network is told which source it looks at. The evidence lower bound $J_H$ (Eq. 3) rewards telling the image from
# the state, and the next state from state and action, and keeps $z_t$ near $N(0, I)$.

# %%
from glam.nn.noise import Noise

noise = Noise.seeded(0)
every, n = batch.every(), len(batch.target.pose)  # the first n windows are the target's

states = model.states.encode(every)  # q(x | o)
x, x_next = states.current(), states.next()
idm = model.idm(x.x, x_next.x)  # q(z | x, x')
z = torch.cat([idm[:n].rsample(noise), idm[n:].rsample(noise)])
y_predicted, pose_predicted = model.forward_model(*x, z)  # p(x' | x, z)


def half_square(prediction: Tensor, truth: Tensor) -> Tensor:
    """-log N(truth; prediction, I), up to a constant."""
    return 0.5 * ((prediction - truth) ** 2).sum(-1).mean()


def kl_to_prior(mean: Tensor, log_variance: Tensor) -> Tensor:
    """KL[N(mean, variance) || N(0, I)]."""
    return 0.5 * (log_variance.exp() + mean**2 - 1 - log_variance).sum(-1).mean()


terms = {  # -J_H
    "reconstruction": model.states.reconstruction_error(states.feature, every.image, noise),
    "forward_feature": half_square(y_predicted, x_next.feature.detach()),
    "forward_pose": half_square(pose_predicted, x_next.pose),
    "idm_prior": kl_to_prior(idm.mean, idm.log_variance),
}

# %% [markdown]
# ### What the target knows
#
# Where commands are recorded there is a second way to the latent: the **action encoder** $q_\eta(z_t | s_t, a_t)$.
# Its samples must tell the next robot state and the action (Eq. 4), and they drive the same forward model as those of
# the inverse dynamics model. The **action decoder** $p(a_t | z_t)$ sees nothing but the latent.

# %%
robot = batch.target
s, a, s_next = robot.state[:, :-1], robot.action[:, :-1], robot.state[:, 1:]
encoded = model.action_encoder(s, a)  # q(z | s, a)
z_action = encoded.rsample(noise)
y_grounded, pose_grounded = model.forward_model(x.feature[:n], x.pose[:n], z_action)
terms |= {  # -J_T
    "proprio": half_square(model.proprio_forward(s, z_action), s_next),
    "action": half_square(model.action_decoder(z_action), a),
    "action_prior": kl_to_prior(encoded.mean, encoded.log_variance),
    "grounded_feature": half_square(y_grounded, x_next.feature[:n].detach()),
    "grounded_pose": half_square(pose_grounded, x_next.pose[:n]),
}

# %% [markdown]
# ### The bridge between the two
#
# On the target both posteriors speak of the same transition, so they should agree (Eq. 5):
#
# $$C_{KL} = \mathrm{KL}\left[ q_\phi(z_t | x_t, x_{t+1}) \, \| \, \mathrm{sg}[q_\eta(z_t | s_t, a_t)] \right]$$
#
# The stop-gradient sg makes it a one-way street: the inverse dynamics model learns what the action encoder means, and
# as it is one model for all sources, it will mean the same on auxiliary transitions. All together (Eq. 6):
# $L = -J_H - J_T + \lambda C_{KL}$, where the KL terms of the priors weigh little. Term by term this is what
# `Glam.losses` computes:

# %%
from glam.training.learner import StepContext

fixed, inferred = encoded.detach(), idm[:n]
ratio = inferred.log_variance - fixed.log_variance
distance = (inferred.mean - fixed.mean) ** 2 / fixed.log_variance.exp()
terms["alignment"] = 0.5 * (ratio.exp() + distance - 1 - ratio).sum(-1).mean()

end = StepContext(step=1, steps=1, noise=Noise.seeded(0))  # in the beginning lambda is still growing
computed = model.losses(batch, end)
assert computed.keys() == terms.keys()
for name, term in terms.items():
    assert torch.allclose(term, computed[name], rtol=1e-4)
    print(f"{name:18}{term.item():10.3f}  x {model.weights[name]:g}")

# %% [markdown]
# Who learns from which term? A dot means that its gradient reaches the network. The last row is the point of the
# method: the alignment teaches the inverse dynamics model, and the visual encoder with it, but never the action
# encoder.

# %%
networks = {
    "visual encoder": model.states.encoder,
    "visual decoder": model.states.decoder,
    "IDM": model.idm,
    "forward": model.forward_model,
    "action encoder": model.action_encoder,
    "proprio": model.proprio_forward,
    "action decoder": model.action_decoder,
}


def is_taught(network: torch.nn.Module, term: Tensor) -> bool:
    """Whether the gradient of a term reaches a network."""
    gradients = torch.autograd.grad(term, list(network.parameters()), retain_graph=True, allow_unused=True)
    return any(gradient is not None and bool(gradient.any()) for gradient in gradients)


dots = [[name, *("●" if is_taught(one, term) else "" for one in networks.values())] for name, term in terms.items()]
show("Which term teaches which network", table(["term", *networks], dots))

# %% [markdown]
# ## 3. Training, and what came of it
#
# `train_world_model` is what the command `glam train-world-model` calls. It may be stopped at any time; called again
# it goes on. Most of the loss is the image's, a sum over pixels, so look at the terms one by one.

# %%
from glam.reports.world_model_page import latent_charts, training_curves, transition_images, verdict_list
from glam.stages.inspect import examine

run = train_world_model(recipe, target, [auxiliary], OUT / "world-model")
seen = examine(run, [target, auxiliary])
show("While training", grid(*training_curves(seen.lines)))

# %% [markdown]
# Losses do not tell whether labels will be good. **Probes** on episodes that were held out do, and a verdict says
# what they mean; `glam inspect` prints the same. The first to look at is the *action error*: a held-out transition
# goes through the inverse dynamics model, its latent through the action decoder, and the result is compared with the
# recorded action. Of this toy the verdict is poor: it has not even begun to see, and what it knows it knows from
# poses.

# %%
for verdict in seen.verdicts:
    print(f"{verdict.severity:8}{verdict.finding}")
show("The verdict", verdict_list(seen.verdicts))

# %% [markdown]
# The latent actions of held-out episodes. By source, the clouds should lie upon each other; by time they should not,
# for what is done at the beginning of an episode differs from what is done at its end.

# %%
show("The latent space", grid(*latent_charts(seen.views)))

# %% [markdown]
# Masks of held-out episodes: recorded, decoded from the state, one step later, and predicted by the forward model.

# %%
show("Decoded images", *transition_images(seen.subject, seen.views))

# %% [markdown]
# ## 4. Labels
#
# The label of a transition is the mean of the inverse dynamics model (Eq. 7), for every source alike:
# $z_t \leftarrow \mu_\phi(x_t, x_{t+1})$. An episode of $T$ frames has $T - 1$ of them. `relabel` writes them beside
# the model; datasets stay as they are.

# %%
from glam.stages.relabel import relabel
from glam.world_models import registry
from glam.world_models.labelling import decode_actions, label_episode

for root in (target, auxiliary):
    print(relabel(run, root, workers=1))

# %% [markdown]
# Decoded labels of a held-out episode of the target beside the actions that were recorded, for the three joints that
# move most. The decoder gives joint targets for the hand-held gripper too, and `glam replay` executes them on the
# arm.

# %%
from glam.reports.charts import Axis, Series, line_chart

trained = registry.load(run)
held_out = episodes_of(sources.target.split.held_out)[0]
decoded = decode_actions(trained, label_episode(trained, sources.target, held_out)).astype(float)
recorded = sources.target.frames.action[held_out[:-1]].astype(float)
paths = {"recorded": recorded, "decoded": decoded}
seconds = np.arange(len(recorded)) / sources.target.frames.schema.fps


def joint(number: int) -> Html:
    """One entry of the action over time."""
    lines = [Series(word, seconds, path[:, number]) for word, path in paths.items()]
    name = sources.target.frames.schema.action_names[number]
    return line_chart(name, lines, Axis("time (s)"), Axis("target (rad)"))


liveliest = np.argsort(recorded[:, :-1].std(0))[:-4:-1]
show("Actions from labels", grid(*(joint(int(number)) for number in liveliest)))

# %% [markdown]
# ## 5. A policy from all of it
#
# The policy $\pi$ looks at RGB images, predicts a chunk of $H$ latent actions, and decodes them with a decoder $h$
# of its own (Eq. 8, with hats on what is predicted):
#
# $$L_\pi = E_D \| \hat{z}_{t:t+H} - z_{t:t+H} \|^2 + E_{D^{tar}} \| h(\hat{z}_{t:t+H}) - a_{t:t+H} \|^2$$
#
# The first term learns from all sources, the second from the target. Both stand in `LatentPolicy.losses`, with two
# of our own: $h$ also reads the target's labels, and a prediction for an auxiliary row is compared with its label once
# more after both are decoded, since not every direction of the latent space matters to the robot.

# %%
from glam.policies import trained as policies
from glam.recipes.policies import policy
from glam.stages.train_policy import Inputs, train_policy

inputs = Inputs(target, (auxiliary,), world_model=run)
acting = policies.load(train_policy(policy("latent", PRESET), inputs, OUT / "policy"))

# %% [markdown]
# It acts from a configuration that nothing was trained on: it looks, executes the first actions of a chunk behind a
# safety filter, and looks again. `glam evaluate` does this for hundreds of configurations and reports success with an
# interval.

# %%
from glam.core.seeds import FIRST_TEST_SEED
from glam.sim import filming
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard
from glam_client.action_chunking import ActionChunking

world = World(find_task(TASK), find_embodiment("kinova"), (160, 160))
(rollout,) = roll_out([world], [FIRST_TEST_SEED], acting.act, ActionChunking(n_action_steps=4), guard)
print("success" if rollout.is_success else f"no success: it failed to {rollout.failed_stage}")
views = np.stack(list(filming.film(world, rollout)), axis=1)  # (cameras, frames, Y, X, 3)
world.close()
show("The policy acts", film(encode_film(tiled([list(views)]), fps=10), "One rollout, seen by both cameras"))

# %% [markdown]
# ## Where to go from here
#
# `make demo` does all of this at a size that learns. With data of your own, the commands are `glam data check`,
# `glam train-world-model`, `glam inspect`, `glam train-policy latent`, and `glam evaluate` or `glam serve`.
# [Bring your own data](../docs/bring_your_own_data.md) begins with your files,
# [GLAM, stage 1](../docs/method/glam.md) names the methods to compare with, and [deviations](../docs/deviations.md)
# says where this code departs from the paper.

# %%
write_page(OUT / "index.html", "How does GLAM work?", "What examples/method.py shows, at toy size.", *sections)
print(OUT / "index.html")
