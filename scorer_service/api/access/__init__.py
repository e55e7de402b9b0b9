"""Who may call what: tokens become callers, and one table says what each role may do."""
