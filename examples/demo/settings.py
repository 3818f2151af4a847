"""Settings of the photo server: defaults, a file, the environment, in this order."""

import os
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
DEFAULT_TIMEOUT = 30
PREFIX = "PHOTOS_"


@dataclass(frozen=True)
class Settings:
    """What an administrator may change."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    timeout: int = DEFAULT_TIMEOUT  # seconds
    folder: str = "photos"
    thumbnails: bool = True
    quality: int = 85

    def address(self):
        return f"http://{self.host}:{self.port}/"

    def problems(self):
        """Sentences about values that cannot work."""
        if not 1 <= self.port <= 65535:
            yield f"port {self.port} is not between 1 and 65535"
        if self.timeout <= 0:
            yield f"timeout {self.timeout} is not positive"
        if not 1 <= self.quality <= 100:
            yield f"quality {self.quality} is not between 1 and 100"


def convert(text, kind):
    if kind in (bool, "bool"):
        return text.strip().lower() in {"1", "on", "true", "yes"}
    if kind in (int, "int"):
        return int(text)
    return text


def from_file(path):
    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}


def from_environment(environment=os.environ):
    values = {}
    for field in fields(Settings):
        text = environment.get(PREFIX + field.name.upper())
        if text is not None:
            values[field.name] = convert(text, field.type)
    return values


def load(path="photos.toml", environment=os.environ):
    """The settings of this run; raises ValueError with all problems at once."""
    settings = Settings(**{**from_file(path), **from_environment(environment)})
    problems = list(settings.problems())
    if problems:
        raise ValueError("; ".join(problems))
    return settings
