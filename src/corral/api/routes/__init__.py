"""One module per noun. Handlers are thin: read, ask the engine, answer."""
