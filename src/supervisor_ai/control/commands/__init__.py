"""Commands of all faces: what changes something, starts something or asks the machine."""
