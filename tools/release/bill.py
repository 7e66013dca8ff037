"""The bill of materials (CycloneDX 1.5): the packages whose archives the linker took something from,
and those whose headers are compiled into the program."""

import json
import re
import uuid

# Templates and inline functions of these are in the program, whatever archives it was linked with.
HEADERS = ("libfmt-dev", "libstdc++-12-dev", "linux-libc-dev")


def linked_archives(link_map):
    """The names of the archives that a map of lld names."""
    return set(re.findall(r"/(lib[^/\s():]+\.a):?\(", link_map))


def components(libraries, archives):
    """The entries of `libraries` that `archives` (names of files) belong to."""
    return [library for library in libraries
            if library["name"] in HEADERS or archives & set(library.get("archives", ()))]


def bill(release, libraries, archives, program_hash):
    """The document, as text."""
    parts = []
    for library in components(libraries, archives):
        purl = (f"pkg:deb/debian/{library['source']}@{library['source_version']}"
                f"?arch=source&distro=debian-12").replace("+", "%2B")
        parts.append({
            "type": "library", "bom-ref": library["name"], "name": library["source"],
            "version": library["source_version"], "purl": purl,
            "hashes": [{"alg": "SHA-256", "content": library["sha256"]}],
            "properties": [
                {"name": "tofu:package", "value": library["name"]},
                {"name": "tofu:made", "value": "built for the release from the source package"
                         if library.get("built") else "linked from the binary package"}],
        })
    serial = uuid.uuid5(uuid.NAMESPACE_URL, f"tofu-cpp/{release.version}/{program_hash}")
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": "tofu-cpp", "name": "tofu-cpp",
            "version": release.version, "licenses": [{"license": {"id": "MPL-2.0"}}],
            "hashes": [{"alg": "SHA-256", "content": program_hash}],
            "properties": [{"name": "tofu:architecture", "value": release.architecture}]}},
        "components": parts,
        "dependencies": [{"ref": "tofu-cpp", "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    return json.dumps(document, indent=2) + "\n"
