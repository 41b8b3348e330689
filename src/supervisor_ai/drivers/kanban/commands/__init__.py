"""Commands on kanbans: what is started, checked and read for them."""
