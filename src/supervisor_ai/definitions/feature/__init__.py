"""What files say about features: their plans and the section of the config."""
