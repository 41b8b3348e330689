"""Subscription logins of the CLIs: their forms, where they are kept, and who renews them."""
