"""What the screens show, drawn as lines of text for a width; nothing here knows a terminal."""
