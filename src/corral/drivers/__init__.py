"""How the node reaches phones: one small protocol, and a driver for each way there is."""
