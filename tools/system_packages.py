"""Install system packages if possible; otherwise raise an error that says what to install. Standard library only."""

import os
import shutil
import subprocess


class SetUpError(Exception):
    """Something the user must fix before set-up can go on: one sentence."""


def apt_install(packages, purpose):
    """Install Debian packages when we are root and apt is there; otherwise raise the sentence that asks for them.

    Args:
        packages: Names of Debian packages.
        purpose: What they are needed for, as the start of a sentence.
    """
    wanted = "apt-get install " + " ".join(packages)
    if shutil.which("apt-get") is None:
        raise SetUpError(f"{purpose}: please install what Debian calls {' '.join(packages)}, then try again.")
    if os.geteuid() != 0:
        raise SetUpError(f"{purpose}: please run `sudo {wanted}`, then try again.")
    print(f"{purpose}: running `{wanted}`", flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    # A failing update is not yet fatal: the package lists at hand may be good enough.
    subprocess.run(["apt-get", "-qq", "update"], env=environment, stdout=subprocess.DEVNULL, check=False)
    command = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *packages]
    if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise SetUpError(f"{purpose}, but `{wanted}` failed: please install these packages by hand, then try again.")
