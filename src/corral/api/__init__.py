"""The server's HTTP: the farm door. Stateless: what it knows is in the engine, what it waits for can be asked again."""
