"""Small machinery and bounded readers without one product word; imports nothing of ours."""
