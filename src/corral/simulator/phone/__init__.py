"""One simulated phone: who it is, what it holds, what it shows, and the one door through which commands reach it."""
