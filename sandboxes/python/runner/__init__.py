"""What runs inside the sandbox of submitted Python, before and around the submission."""
