"""The apps that simulated phones have: each turns its state into a view, and taps into a new state."""
