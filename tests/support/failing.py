"""What a command that failed has said."""


def failed(result, status, *words):
    """The command failed with this status and one message that has these words."""
    assert result.returncode == status, result.stderr
    assert result.stderr.startswith("duet: "), result.stderr
    for word in words:
        assert word in result.stderr, result.stderr
    assert result.stdout == ""
