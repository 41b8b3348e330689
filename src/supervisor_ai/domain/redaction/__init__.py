"""Finding secrets in text and taking them out."""
