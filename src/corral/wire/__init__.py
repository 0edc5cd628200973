"""What nodes and the server say to each other, as pure data. Durations only, never instants: clocks differ."""
