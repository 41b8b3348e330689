"""The tables that people read: projections, their rules and the queries on them."""
