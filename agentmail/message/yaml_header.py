"""YAML that resolves nothing, for headers that are not in our canonical form; the only user of frontmatter."""

from __future__ import annotations

import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.nodes import MappingNode, ScalarNode


class Loader(yaml.BaseLoader):
    """Every scalar is text; anchors, aliases and tags are errors."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse anchors, aliases and tags."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None or getattr(event, "tag", None):
            raise yaml.YAMLError("anchors, aliases and tags have no place in a header")
        return super().compose_node(parent, index)

    def fetch_flow_collection_start(self, _kind: type[yaml.Token]) -> None:
        """Refuse the first `[` or `{`: parsing nested ones takes quadratic time."""
        raise yaml.YAMLError("not a line of text")

    def construct_document(self, node: yaml.Node) -> list[tuple[str, str]]:
        """The pairs of a flat mapping in order, including duplicates."""
        if not isinstance(node, MappingNode):
            raise yaml.YAMLError("not a mapping")
        pairs = []
        for key, value in node.value:
            if not isinstance(key, ScalarNode) or not isinstance(value, ScalarNode):
                raise yaml.YAMLError("not a line of text")
            if "\n" in key.value or "\n" in value.value:
                raise yaml.YAMLError("more than a line of text")
            pairs.append((key.value, value.value))
        return pairs


def load_header(text: str) -> tuple[dict[str, str], bool] | None:
    """The values of a header and whether a key is duplicate (the first counts); None if it is not flat YAML."""
    try:
        pairs = YAMLHandler().load(text, Loader=Loader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        return None
    # A header of comments alone is a document without a node: no pairs.
    pairs = pairs or []
    values: dict[str, str] = {}
    for key, value in pairs:
        values.setdefault(key, value)
    return values, len(values) != len(pairs)
