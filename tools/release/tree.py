"""The files of a package, and the archives made of them: the same bytes for the same files.

Owners, times and order are fixed; what remains are names, modes and contents.
"""

import dataclasses
import gzip
import io
import pathlib
import tarfile
import zipfile
import time


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, or a folder if it has no content."""
    name: str  # without a leading slash
    content: bytes | None = None
    mode: int = 0o644


def folder_entries(root, prefix=""):
    """Everything in a folder of this machine, as entries."""
    entries = []
    for path in sorted(pathlib.Path(root).rglob("*")):
        name = prefix + path.relative_to(root).as_posix()
        if path.is_dir():
            entries.append(Entry(name, mode=0o755))
        else:
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            entries.append(Entry(name, path.read_bytes(), mode))
    return entries


def with_folders(entries):
    """The entries with the folders that they are in, in the order of their names."""
    known = {entry.name: entry for entry in entries}
    for entry in entries:
        for parent in pathlib.PurePosixPath(entry.name).parents:
            if parent.name:
                known.setdefault(parent.as_posix(), Entry(parent.as_posix(), mode=0o755))
    return [known[name] for name in sorted(known)]


def tar(entries, date, prefix="", headers=None, trailer=True):
    """A tar archive. `headers` gives further PAX headers of an entry; apk wants no `trailer`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w",
                      format=tarfile.PAX_FORMAT if headers else tarfile.GNU_FORMAT) as archive:
        for entry in entries:
            member = tarfile.TarInfo(prefix + entry.name)
            member.mode, member.mtime = entry.mode, date
            member.uname = member.gname = "root"
            if entry.content is None:
                member.type = tarfile.DIRTYPE
                archive.addfile(member)
            else:
                member.size = len(entry.content)
                member.pax_headers = headers(entry) if headers else {}
                archive.addfile(member, io.BytesIO(entry.content))
        length = archive.offset
    return buffer.getvalue() if trailer else buffer.getvalue()[:length]


def gzipped(data):
    """The same bytes for the same data: no name, no time."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def zipped(entries, date, prefix=""):
    """A zip archive with modes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries:
            name = prefix + entry.name + ("/" if entry.content is None else "")
            member = zipfile.ZipInfo(name, time.gmtime(max(date, 315532800))[:6])
            member.create_system = 3
            kind = 0o040000 if entry.content is None else 0o100000
            member.external_attr = (kind | entry.mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, entry.content or b"")
    return buffer.getvalue()
