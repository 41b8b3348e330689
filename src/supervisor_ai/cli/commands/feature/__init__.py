"""`supervisor feature` and its verbs."""
