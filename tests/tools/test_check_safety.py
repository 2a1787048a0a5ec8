"""Code that would run what a file tells it to is found; code that looks like it is not."""

import pytest

import check_safety


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import numpy, pickle as p",
        "from pickle import loads",
        "import cloudpickle.something",
        "def f():\n    import shelve",
        "eval('1 + 1')",
        "exec(code)",
        "__import__(name)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=flag)",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.unsafe_load(text)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
    ],
)
def test_unsafe_code_is_found(source):
    assert len(list(check_safety.source_findings(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "model.eval()",
        "re.compile('x')",
        "np.load(path)",
        "np.load(path, allow_pickle=False)",
        "yaml.safe_load(text)",
        "torch.load(path, weights_only=True)",
        "'import pickle'",
        "from glam.pickles import jar",
        "json.load(file)",
    ],
)
def test_safe_code_is_left_alone(source):
    assert list(check_safety.source_findings(source)) == []


def test_a_finding_names_the_line():
    assert list(check_safety.source_findings("x = 1\nimport dill\n")) == [
        (2, "dill can run code from a file; use safetensors or JSON")
    ]
