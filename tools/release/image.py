"""Container images as an OCI layout: a folder of blobs that skopeo, podman and registries read.

No daemon and no base image: one layer with the program, the authorities to trust, and two users.
"""

import hashlib
import json

from tree import Entry, gzipped, tar, with_folders


def blob(layout, content):
    """Writes a blob and returns its descriptor, without the media type."""
    digest = hashlib.sha256(content).hexdigest()
    place = layout / "blobs/sha256"
    place.mkdir(parents=True, exist_ok=True)
    (place / digest).write_bytes(content)
    return {"digest": f"sha256:{digest}", "size": len(content)}


def layer_entries(program, authorities):
    """The files of the image."""
    return with_folders([
        Entry("usr/bin/tofu", program, 0o755),
        Entry("etc/ssl/certs/ca-certificates.crt", authorities),
        Entry("etc/passwd", b"root:x:0:0:root:/root:/sbin/nologin\n"
                            b"tofu:x:65532:65532:tofu:/work:/sbin/nologin\n"),
        Entry("etc/group", b"root:x:0:\ntofu:x:65532:\n"),
        Entry("root", mode=0o700),
        Entry("tmp", mode=0o1777),
        Entry("work", mode=0o1777),
    ])


def write_layout(layout, programs, authorities, version, date, created):
    """An image for each architecture of `programs`, all under the tag `version`."""
    manifests = []
    for architecture, program in sorted(programs.items()):
        layer = tar(layer_entries(program, authorities), date)
        configuration = {
            "architecture": architecture, "os": "linux", "created": created,
            "config": {"Entrypoint": ["/usr/bin/tofu"], "WorkingDir": "/work",
                       "Env": ["PATH=/usr/bin:/bin", "HOME=/root"],
                       "Labels": {"org.opencontainers.image.title": "tofu-cpp",
                                  "org.opencontainers.image.version": version,
                                  "org.opencontainers.image.licenses": "MPL-2.0"}},
            "rootfs": {"type": "layers",
                       "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
            "history": [{"created": created, "created_by": "./dev release"}],
        }
        image = {
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": {"mediaType": "application/vnd.oci.image.config.v1+json",
                       **blob(layout, as_json(configuration))},
            "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
                        **blob(layout, gzipped(layer))}],
        }
        manifests.append({"mediaType": "application/vnd.oci.image.manifest.v1+json",
                          **blob(layout, as_json(image)),
                          "platform": {"os": "linux", "architecture": architecture}})
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
             "manifests": manifests}
    top = {"schemaVersion": 2,
           "manifests": [{"mediaType": "application/vnd.oci.image.index.v1+json",
                          **blob(layout, as_json(index)),
                          "annotations": {"org.opencontainers.image.ref.name": version}}]}
    (layout / "index.json").write_bytes(as_json(top))
    (layout / "oci-layout").write_bytes(as_json({"imageLayoutVersion": "1.0.0"}))


def as_json(document):
    """The same bytes for the same document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
