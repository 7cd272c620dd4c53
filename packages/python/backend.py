"""Makes the wheel of this package (PEP 517, PEP 660): its files, and the library that ./dev build made.

The library holds the standard library of the language. TRAINSPEC_LIBRARY names another one than
that of the checkout (build/); TRAINSPEC_LIBRARY=system leaves it out, and the package loads the
one that is installed. The same files give the same bytes.
"""
import base64
import hashlib
import os
import pathlib
import re
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libtrainspec.dylib" if sysconfig.get_platform().startswith("macosx") else "libtrainspec.so"


def setting(name):
    """The value of a line `name = "..."` of pyproject.toml; tomllib is not in every Python."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(rf'^{name} = "(.*)"$', text, re.MULTILINE).group(1)


def library():
    """The built library; None where the installed one is to be used."""
    named = os.environ.get("TRAINSPEC_LIBRARY")
    if named == "system":
        return None
    path = pathlib.Path(named) if named else HERE.parents[1] / "build" / LIBRARY
    if not path.is_file():
        raise SystemExit(f"trainspec: no library {path}: run `./dev build` first, or give the path of "
                         f"{LIBRARY} in TRAINSPEC_LIBRARY, or `system` for an installed one")
    return path


def tag(lib):
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform()) if lib else "any"
    return f"py3-none-{platform}"


def metadata():
    about = (HERE / "README.md").read_text(encoding="utf-8")
    return (f"Metadata-Version: 2.1\nName: {setting('name')}\nVersion: {setting('version')}\n"
            f"Summary: {setting('description')}\nRequires-Python: {setting('requires-python')}\n"
            f"Description-Content-Type: text/markdown\n\n{about}")


def write(directory, files, lib):
    """A wheel of {name: bytes}; returns its file name."""
    name = f"{setting('name')}-{setting('version')}"
    info = f"{name}.dist-info"
    files = {**files,
             f"{info}/METADATA": metadata().encode(),
             f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: trainspec\n"
                               f"Root-Is-Purelib: {'false' if lib else 'true'}\nTag: {tag(lib)}\n").encode()}
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{tag(lib)}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if path.endswith(LIBRARY) else 0o644) << 16
            out.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    lib = library()
    package = HERE / "trainspec"
    files = {f"trainspec/{path.name}": path.read_bytes()
             for path in sorted(package.iterdir()) if path.suffix in (".py", ".typed")}
    if lib:
        files[f"trainspec/{LIBRARY}"] = lib.read_bytes()
    return write(wheel_directory, files, lib)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """pip install -e: Python's files of this folder; the library is the checkout's, found beside it."""
    return write(wheel_directory, {"trainspec.pth": f"{HERE}\n".encode()}, None)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("trainspec: the release tarball of TrainSpec holds this package; there is no other sdist")
