"""A workflow drawn as text, as Mermaid or as SVG."""
