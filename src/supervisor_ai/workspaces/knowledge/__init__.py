"""The files of knowledge stores: in commits and in plain directories."""
