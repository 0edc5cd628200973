"""Where artifacts and input files are kept: a local directory or an S3-compatible store. No HTTP, no database."""

from corral.storage.keys import ArtifactKey, check_key, check_sha256, file_key, parse_file_key
from corral.storage.open import open_store
from corral.storage.sniff import extension_of, serve_headers, sniff
from corral.storage.storage import Storage, open_storage
from corral.storage.store import Content, DirectUpload, Receipt, Stat, Store, in_one_piece
from corral.storage.uploads import Upload, Uploads

__all__ = [
    "ArtifactKey",
    "Content",
    "DirectUpload",
    "Receipt",
    "Stat",
    "Storage",
    "Store",
    "Upload",
    "Uploads",
    "check_key",
    "check_sha256",
    "extension_of",
    "file_key",
    "in_one_piece",
    "open_storage",
    "open_store",
    "parse_file_key",
    "serve_headers",
    "sniff",
]
