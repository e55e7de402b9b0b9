"""What the server writes for its operator: one line an event, with the ids of what it is about."""
