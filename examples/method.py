# %% [markdown]
"""# How does GLAM work?

A robot arm demonstrates how to lift a cube, and its actions are recorded. A person demonstrates the same with a
hand-held gripper, and there are no actions to record. This notebook makes a few demonstrations of both kinds, goes
through the equations of the method next to the code that computes them, trains a world model and a policy, and runs the
policy.

Everything is so small that it runs within a minute, and **too small to learn the task**. `make demo` does the same at
a size that learns. Or set `PRESET` to `cpu`, `EPISODES` to 100 and `OUT` to another folder, and wait for half an hour.
"""

# %%
from pathlib import Path

from glam.recipes import Preset, world_model

PRESET: Preset = "smoke"
EPISODES = 4
TASK = "lift"
OUT = Path("runs/method")

# %% [markdown]
# The next cell has helpers that show a result below its cell, and again on the page `runs/method/index.html`, for
# those who run this file as a script.

# %%
from html import escape

from glam.reports.markup import Html, element
from glam.reports.page import card, film, grid, image, page, section, table, write_page

sections: list[Html] = []


class Shown:
    """A part of the page, in a frame of its own, so that its style does not affect the notebook."""

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
# `kinova` is a 7-joint arm, the **target**. `umi` is a hand-held gripper, the **auxiliary** source. Both have images,
# object masks and the pose of the gripper. Only the target has actions and robot state.

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
# A batch has windows of a few consecutive frames, as many of the target as of the auxiliary source. Auxiliary windows
# are a type without a field for actions. Everywhere `action[t]` takes frame $t$ to frame $t + 1$.

# %%
from dataclasses import replace

from glam.data.demonstrations import episodes_of
from glam.data.normalizer import Normalizer
from glam.stages.train_world_model import open_sources, train_world_model
from glam.world_models.batches import MixedBatches, sizes_of

recipe = world_model("glam-o", PRESET)
if PRESET == "smoke":  # ten times the steps of a smoke test, so that there is something to see
    batch_size = replace(recipe.batch, target_windows=8, auxiliary_windows=8)
    fit = replace(recipe.fit, steps=200, learning_rate=5e-3, save_every=200, validate_every=100)
    recipe = replace(recipe, batch=batch_size, fit=fit)

sources = open_sources(recipe, target, [auxiliary])
normalizer = Normalizer.fit(sources.target, sources.auxiliary)
view = replace(recipe.model.training_view, idm_rotation_noise=0.0)
batch = MixedBatches(sources.target, sources.auxiliary, normalizer, recipe.batch, 0, view)(0)
for kind, windows in (("target", batch.target), ("auxiliary", batch.auxiliary)):
    print(kind, {name: tuple(value.shape) for name, value in vars(windows).items()})

# %% [markdown]
# ## 2. Actions as a latent variable
#
# The actions of the auxiliary source are unknown. So an action is a latent variable $z_t$ of $d$ numbers in two
# generative models. One explains the observations of all sources, the other the states and actions of the target (Eqs.
# 1 and 2):
#
# $$p(X, O, Z) = p(x_1) \prod_t p(x_{t+1} | x_t, z_t) \, p(o_t | x_t) \, p(z_t)$$
#
# $$p(S, A, Z) = p(s_1) \prod_t p(s_{t+1} | s_t, z_t) \, p(a_t | z_t) \, p(z_t)$$
#
# `Glam` holds the networks of both. It is not trained yet.

# %%
import torch
from torch import Tensor

torch.manual_seed(0)
model = recipe.model.build(sizes_of(sources.target, normalizer, latent=8))
for name, network in model.named_children():
    print(f"{name:16}{sum(weights.numel() for weights in network.parameters()):8} weights")

# %% [markdown]
# ### The model of all sources
#
# The state $x_t = (y_t, e_t)$ is a feature $y_t$ of the image, here of the object masks (the -O of the paper), and
# the pose $e_t$ of the gripper. The **inverse dynamics model** (IDM) $q_\phi(z_t | x_t, x_{t+1})$ infers the action
# from two states; ours sees two more frames (`idm_frames`), in which a slow robot shows the effect of its action. The
# **forward model** predicts the second state from the first and the action. No network knows the
# source of its input. The evidence lower bound $J_H$ (Eq. 3) rewards reconstruction of the image from the state, and
# prediction of the next state, and keeps $z_t$ near $N(0, I)$.

# %%
from glam.nn.gaussian import Noise

noise = Noise.seeded(0)
every, n = batch.every(), len(batch.target.pose)  # the first n windows are the target's

seen = model.states.encode(every)  # q(x | o)
frames = recipe.batch.frames  # those after them are for the IDM alone
states = seen.without_last(seen.feature.shape[1] - frames)
x, x_next = states.current(), states.next()
idm = model.idm(*seen.ahead(recipe.model.idm_frames, frames - 1))  # q(z | x, x', ...)
z = torch.cat([idm[:n].rsample(noise), idm[n:].rsample(noise)])
y_predicted, pose_predicted = model.forward_model(*x, z)  # p(x' | x, z)


def half_square(prediction: Tensor, truth: Tensor) -> Tensor:
    """-log N(truth; prediction, I), up to a constant."""
    return 0.5 * ((prediction - truth) ** 2).sum(-1).mean()


def kl_to_prior(mean: Tensor, log_variance: Tensor) -> Tensor:
    """KL[N(mean, variance) || N(0, I)]."""
    return 0.5 * (log_variance.exp() + mean**2 - 1 - log_variance).sum(-1).mean()


terms = {  # -J_H
    "reconstruction": model.states.reconstruction_error(states.feature, every.image[:, :frames], noise),
    "forward_feature": half_square(y_predicted, x_next.feature.detach()),
    "forward_pose": half_square(pose_predicted, x_next.pose),
    "idm_prior": kl_to_prior(idm.mean, idm.log_variance),
}

# %% [markdown]
# ### The model of the target
#
# Where actions are recorded, the **action encoder** $q_\eta(z_t | s_t, a_t)$ gives a second posterior of the latent.
# Its samples must predict the next robot state and the action (Eq. 4), and they are inputs of the same forward model as
# those of the IDM. The only input of the **action decoder** $p(a_t | z_t)$ is the latent.

# %%
robot = batch.target
s, a, s_next = robot.state[:, : frames - 1], robot.action[:, : frames - 1], robot.state[:, 1:frames]
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
# ### The alignment of the two
#
# On the target both posteriors describe the same transition, so they should agree (Eq. 5):
#
# $$C_{KL} = \mathrm{KL}\left[ q_\phi(z_t | x_t, x_{t+1}) \, \| \, \mathrm{sg}[q_\eta(z_t | s_t, a_t)] \right]$$
#
# The stop-gradient sg makes the alignment one-sided: the IDM learns the latents of the action encoder. It is one model
# for all sources, so its latents mean the same on auxiliary transitions. The whole objective (Eq. 6) is
# $L = -J_H - J_T + \lambda C_{KL}$, with small weights for the KL terms of the priors. `Glam.losses` computes the same
# terms:

# %%
from glam.training.learner import StepContext

fixed, inferred = encoded.detach(), idm[:n]
ratio = inferred.log_variance - fixed.log_variance
distance = (inferred.mean - fixed.mean) ** 2 / fixed.log_variance.exp()
terms["alignment"] = 0.5 * (ratio.exp() + distance - 1 - ratio).sum(-1).mean()

end = StepContext(step=1, steps=1, noise=Noise.seeded(0))  # at the end of a training, where lambda has its full value
computed = model.losses(batch, end)
assert computed.keys() == terms.keys()
for name, term in terms.items():
    assert torch.allclose(term, computed[name], rtol=1e-4)
    print(f"{name:18}{term.item():10.3f}  x {model.weights[name]:g}")

# %% [markdown]
# Which network learns from which term? A dot means that the gradient of the term reaches the network. The last row is
# the point of the method: the alignment trains the IDM and the visual encoder, but never the action encoder.

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


def is_reached(network: torch.nn.Module, term: Tensor) -> bool:
    """True if the gradient of a term reaches a network."""
    gradients = torch.autograd.grad(term, list(network.parameters()), retain_graph=True, allow_unused=True)
    return any(gradient is not None and bool(gradient.any()) for gradient in gradients)


dots = [[name, *("●" if is_reached(one, term) else "" for one in networks.values())] for name, term in terms.items()]
show("Which term trains which network", table(["term", *networks], dots))

# %% [markdown]
# ## 3. Training and verdicts
#
# The command `glam train-world-model` calls `train_world_model`. You can stop it at any time, and call it again to
# resume. Most of the loss is the reconstruction of images, a sum over pixels, so look at the terms one by one.

# %%
from glam.reports.world_model_page import latent_charts, training_curves, transition_images, verdict_list
from glam.stages.inspect import examine

run = train_world_model(recipe, target, [auxiliary], OUT / "world-model")
found = examine(run, [target, auxiliary])
show("Losses", grid(*training_curves(found.lines)))

# %% [markdown]
# Losses do not show if labels will be good. **Probes** on held-out episodes do, and verdicts say what they mean;
# `glam inspect` prints the same. Look first at the *action error*: the IDM labels a held-out transition, the action
# decoder decodes the latent, and the result is compared with the recorded action. The verdicts on this toy are poor:
# its image branch has learnt nothing yet, and its labels come from poses alone.

# %%
for verdict in found.verdicts:
    print(f"{verdict.severity:8}{verdict.finding}")
show("Verdicts", verdict_list(found.verdicts))

# %% [markdown]
# The latent actions of held-out episodes. The points of different sources should overlap. Those of different times
# should not, because actions at the beginning of an episode differ from those at its end.

# %%
show("The latent space", grid(*latent_charts(found.views)))

# %% [markdown]
# Masks of held-out episodes: recorded, decoded from the state, one step later, and predicted by the forward model.

# %%
show("Decoded images", *transition_images(found.subject, found.views))

# %% [markdown]
# ## 4. Labels
#
# The label of a transition is the mean of the inverse dynamics model (Eq. 7), for every source alike:
# $z_t \leftarrow \mu_\phi(x_t, x_{t+1})$. An episode of $T$ frames has $T - 1$ of them. `relabel` writes them into the
# folder of the model; the datasets do not change.

# %%
from glam.stages.relabel import relabel
from glam.world_models import runs
from glam.world_models.runs import decode_actions, label_episode

for root in (target, auxiliary):
    print(relabel(run, root, workers=1))

# %% [markdown]
# Decoded labels of a held-out episode of the target and the recorded actions, for the three joints that move most. The
# decoder gives joint targets for the hand-held gripper too, and `glam replay` executes them on the arm.

# %%
from glam.reports.charts import ChartAxis, Series, line_chart

trained = runs.load(run)
held_out = episodes_of(sources.target.split.held_out)[0]
decoded = decode_actions(trained, label_episode(trained, sources.target, held_out)).astype(float)
recorded = sources.target.frames.action[held_out[:-1]].astype(float)
paths = {"recorded": recorded, "decoded": decoded}
seconds = np.arange(len(recorded)) / sources.target.frames.schema.fps


def joint(number: int) -> Html:
    """One entry of the action over time."""
    lines = [Series(word, seconds, path[:, number]) for word, path in paths.items()]
    name = sources.target.frames.schema.action_names[number]
    return line_chart(name, lines, ChartAxis("time (s)"), ChartAxis("target (rad)"))


most_moving = np.argsort(recorded[:, :-1].std(0))[:-4:-1]
show("Actions from labels", grid(*(joint(int(number)) for number in most_moving)))

# %% [markdown]
# ## 5. A policy from all demonstrations
#
# The policy $\pi$ predicts a chunk of $H$ latent actions from RGB images, and decodes them with its own decoder $h$
# (Eq. 8, with hats on predictions):
#
# $$L_\pi = E_D \| \hat{z}_{t:t+H} - z_{t:t+H} \|^2 + E_{D^{tar}} \| h(\hat{z}_{t:t+H}) - a_{t:t+H} \|^2$$
#
# The first term learns from all sources, the second from the target. `LatentPolicy.losses` has both, and two more of
# our own: $h$ also learns from the target's labels, and for auxiliary samples the decoded prediction is compared with
# the decoded label, because not every direction of the latent space matters to the robot.

# %%
from glam.policies import trained as policies
from glam.recipes import policy
from glam.stages.train_policy import Inputs, train_policy

inputs = Inputs(target, (auxiliary,), world_model=run)
acting = policies.load(train_policy(policy("latent", PRESET), inputs, OUT / "policy"))

# %% [markdown]
# It starts from an unseen scene: it predicts a chunk, executes the first actions behind a safety filter, and
# predicts again. `glam evaluate` does this for hundreds of scenes and reports success with an interval.

# %%
from glam.core.simulated import FIRST_VALIDATION_SEED
from glam.sim import rollouts
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard
from glam_client.action_chunking import ActionChunking

world = World(find_task(TASK), find_embodiment("kinova"), (160, 160))
(rollout,) = roll_out([world], [FIRST_VALIDATION_SEED], acting.act, ActionChunking(n_action_steps=4), guard)
print("success" if rollout.is_success else f"no success: it failed to {rollout.failed_stage}")
views = np.stack(list(rollouts.film(world, rollout)), axis=1)  # (cameras, frames, Y, X, 3)
world.close()
show("The policy acts", film(encode_film(tiled([list(views)]), fps=10), "One rollout, seen by both cameras"))

# %% [markdown]
# ## Where to go from here
#
# `make demo` does all of this at a size that learns. For your own data, the commands are `glam data check`,
# `glam train-world-model`, `glam inspect`, `glam train-policy latent`, and `glam evaluate` or `glam serve`.
# [Bring your own data](../docs/bring_your_own_data.md) starts from your files,
# [GLAM, stage 1](../docs/method/glam.md) lists the methods, [add a world model](../docs/add_a_world_model.md) adds one,
# and [deviations](../docs/deviations.md) lists the differences from the paper.

# %%
write_page(OUT / "index.html", "How does GLAM work?", "What examples/method.py shows, at toy size.", *sections)
print(OUT / "index.html")
