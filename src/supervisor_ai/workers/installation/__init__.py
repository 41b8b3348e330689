"""What agents of the user's are told about us, and how it is put into their files and taken out."""
