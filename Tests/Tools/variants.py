"""The kinds of uploads in a batch: a protocol with its options, the link, and how the client signs in."""

import dataclasses

import models
import sign_in


@dataclasses.dataclass(frozen=True)
class Variant:
    protocol: str
    model: type
    options: dict = dataclasses.field(default_factory=dict)
    #: The sizes of files in bytes.
    sizes: tuple = (0, 1, 700, 5000, 60_000, 300_000)
    #: The weight of the variant in random choices.
    weight: int = 10


LARGE = (5_300_000,)
S3_KEYS = {"auth": {"s3": {"accessKey": "key", "secretKey": {"env": "FERRY_TEST_SECRET"}}}}

VARIANTS = [
    Variant("put", models.Put),
    Variant("put", models.Put, {"checksum": "sha-256", "ifExists": "skip"}),
    Variant("put", models.Put, {"ifExists": "rename", "auth": {"bearer": {"env": "FERRY_TEST_SECRET"}}}),
    Variant("post", models.Post),
    Variant("post", models.Post, {"link": {"pointer": "/files/0/url"}, "idempotencyKey": True}),
    Variant("form", models.Form),
    Variant("tus", models.Tus),
    Variant("tus", models.Tus, {"chunkSize": 20_000}),
    Variant("tus", models.Tus, {"checksum": "sha-1", "chunkSize": 100_000}),
    Variant("tus", models.Tus, {"deferLength": True}),
    Variant("tus", models.Tus, {"createWithContent": True}),
    # The file has two parts of at least 16 MiB.
    Variant("tus", models.Tus, {"parallel": 3}, (33_600_000,), weight=1),
    Variant("resumable", models.Resumable),
    Variant("resumable", models.Resumable, {"chunkSize": 20_000}),
    Variant("s3", models.S3, S3_KEYS),
    Variant("s3", models.S3, S3_KEYS | {"chunkSize": "5M", "parallel": 2}, LARGE, weight=5),
    Variant("webdav", models.WebDAV),
    Variant("webdav", models.WebDAV, {"chunkSize": 20_000}),
    Variant("webdav", models.WebDAV, {"ifExists": "skip"}),
    Variant("nextcloud", models.Nextcloud),
    Variant("nextcloud", models.Nextcloud, {"chunkSize": "5M"}, LARGE, weight=5),
    Variant("google", models.Google),
    Variant("google", models.Google, {"chunkSize": 262_144, "checksum": "md5"}),
    Variant("graph", models.Graph),
    Variant("graph", models.Graph, {"chunkSize": 327_680, "ifExists": "replace"}, (1, 5000, 700_000)),
    Variant("azure", models.Azure),
    Variant("azure", models.Azure, {"chunkSize": 20_000, "parallel": 3}),
    Variant("auto", models.Tus),
    Variant("auto", models.Put),
    Variant("auto", models.WebDAV),
]
WEIGHTS = [variant.weight for variant in VARIANTS]


@dataclasses.dataclass(frozen=True)
class Link:
    is_secure: bool = False
    has_proxy: bool = False

    def options(self, address, authority):
        """Returns the destination's members for its link. `address` is host and port."""
        options = {"tls": {"caFile": str(authority)}} if self.is_secure else {}
        return options | {"proxy": f"http://{address}" if self.has_proxy else "none"}


LINKS = [Link(), Link(is_secure=True), Link(has_proxy=True), Link(is_secure=True, has_proxy=True)]
LINK_WEIGHTS = [70, 14, 9, 7]


@dataclasses.dataclass(frozen=True)
class Choice:
    """The choice for one upload of a batch."""

    variant: Variant
    link: Link
    #: A class of `sign_in`; None for a server without authentication.
    gate: type | None

    @staticmethod
    def by(chance):
        variant = chance.choices(VARIANTS, WEIGHTS)[0]
        link = chance.choices(LINKS, LINK_WEIGHTS)[0]
        gate = chance.choices((None, sign_in.Digest, sign_in.OAuth), (75, 13, 12))[0]
        # Token requests do not use the destination's proxy, and a server responds in one form only.
        if "auth" in variant.options or gate is sign_in.OAuth and link.has_proxy:
            gate = None
        return Choice(variant, link, gate)
