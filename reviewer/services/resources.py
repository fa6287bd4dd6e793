"""The files that the program reads at run time: samples, schemas, icons, themes.

They lie in ``resources/`` at the top of a checkout and in
``reviewer/resources`` of an installed wheel. Only names that stay inside that
folder are accepted.
"""

from pathlib import Path, PurePosixPath

import reviewer

__all__ = ["ResourceMissingError", "resource", "resources_dir"]


class ResourceMissingError(RuntimeError):
    """A file that belongs to the program is not where the program lies."""


def resources_dir(package: Path | None = None) -> Path:
    """Give the folder of the resources.

    ``package`` is the folder of the package ``reviewer``; by default the one
    that is running. Raises `ResourceMissingError` when neither place exists.
    """
    home = package or Path(reviewer.__file__).resolve().parent
    checkout = home.parent
    if (home / "resources").is_dir():
        return home / "resources"
    # site-packages may hold somebody else's folder of that name; a checkout has a project file.
    if (checkout / "pyproject.toml").is_file() and (checkout / "resources").is_dir():
        return checkout / "resources"
    raise ResourceMissingError(
        f"Reread's own resources are missing: no folder 'resources' in {home} or {checkout}. "
        "Install the package again."
    )


def resource(name: str) -> Path:
    """Give the path of one resource by its name with forward slashes.

    Raises `ValueError` for a name that leaves the folder and
    `ResourceMissingError` where there is no such file or folder.
    """
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts or "\\" in name:
        raise ValueError(f"not the name of a resource: {name!r}")
    path = resources_dir().joinpath(*relative.parts)
    if not path.exists():
        raise ResourceMissingError(
            f"Reread's own resource '{name}' is missing in {resources_dir()}. "
            "Install the package again."
        )
    return path
