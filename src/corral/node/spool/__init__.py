"""What the node has to tell the server, kept on disk until the server has it: events, and files that go with them."""
