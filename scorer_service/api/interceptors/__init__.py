"""What is done round every call: metrics, errors, a context for logs, validation."""
