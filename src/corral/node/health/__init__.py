"""How the phones are: what they say of themselves, and what may be asked of them in that state."""
