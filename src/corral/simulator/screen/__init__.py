"""What a phone shows: elements on a grid of characters, painted as a PNG, told as XML, and read back from pixels."""
