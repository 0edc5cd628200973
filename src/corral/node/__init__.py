"""The agent that runs where the phones are: pulls jobs, executes them, reports. It never touches the database."""
