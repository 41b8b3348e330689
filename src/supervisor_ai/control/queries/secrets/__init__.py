"""What is asked about secrets in texts: ours to find, and what other scanners say."""
