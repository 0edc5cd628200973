"""What makes a well-formed recipe a sensible one: each module looks at one side of it and yields problems."""
