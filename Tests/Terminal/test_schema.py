"""Tests the configuration's schema with a validator that editors use."""

import json
import pathlib

import pytest
from jsonschema import Draft202012Validator

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "config.example.json"


@pytest.fixture(scope="module")
def schema(ferry, tmp_path_factory):
    import subprocess

    environment = {"HOME": str(tmp_path_factory.mktemp("home"))}
    text = subprocess.run([ferry, "config", "--schema"], env=environment, capture_output=True, check=True).stdout
    return json.loads(text)


def test_it_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)


def test_the_example_fits(schema):
    Draft202012Validator(schema).validate(json.loads(EXAMPLE.read_text()))


@pytest.mark.parametrize(
    "change",
    [
        {"limit": 1},
        {"limits": {"concurrency": 0}},
        {"limits": {"bandwidth": "fast"}},
        {"limits": {"timetable": [{"bandwidth": "fast"}]}},
        {"limits": {"timetable": [{"from": "8:00", "bandwidth": 1}]}},
        {"limits": {"timetable": [{"to": "24:01", "bandwidth": 1}]}},
        {"limits": {"timetable": [{"to": "18:00"}]}},
        {"destinations": {"d": {}}},
        {"destinations": {"d": {"url": "https://h.example/", "protocol": "ftp"}}},
        {"destinations": {"d": {"url": "https://h.example/", "auth": {"bearer": {"envy": "T"}}}}},
        {"appearance": {"theme": "pink"}},
        {"keys": {"help": "x"}},
    ],
)
def test_a_setting_that_ferry_refuses_does_not_fit(schema, home, change):
    assert not Draft202012Validator(schema).is_valid(change)
    home.configure("http://h.example/")
    home.change(**change)
    assert home.run("config").returncode == 2
