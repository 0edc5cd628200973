"""What the vendor's program remembers of its own: names, order and tags of phones."""

from dataclasses import dataclass, field


@dataclass
class VendorState:
    """Kept while the simulator runs; phones by serial."""

    names: dict[str, str] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)
    tags: dict[str, list[str]] = field(default_factory=dict)
