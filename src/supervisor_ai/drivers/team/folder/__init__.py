"""The files of a team's folder: what they hold, and who may write where."""
