"""For each family of operators: when a call keeps to the rules, and what it makes."""
