"""Known vulnerabilities in what is locked: `make check` asks the registries that pip and npm are configured to use."""
