"""A server for the tests of a file, and a database for each of them."""

import pytest

from support import postgres


@pytest.fixture(scope="module")
def server():
    if postgres.programs() is None:
        pytest.skip("PostgreSQL's server is not installed")
    with postgres.Server() as running:
        yield running


@pytest.fixture
def database(server):
    return server.database()


@pytest.fixture
def url(server, database):
    return server.url(database)


def done(result):
    assert result.returncode == 0, result.stderr
    return result
