"""What goes wrong, for whom and when: scenarios in YAML, and the faults that they are made of."""
