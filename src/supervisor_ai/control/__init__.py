"""The one API of all faces: commands, queries, sentences, and the ports that they need."""
