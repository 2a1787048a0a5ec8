"""The one error that reaches a user."""


class GlamError(Exception):
    """Something the user can mend: one sentence that names the thing and says what is allowed.

    The command line prints the sentence and exits with code 2; nothing else is shown.
    """
