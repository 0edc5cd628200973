"""What Corral talks about: ids, states, records and errors. Imports nothing else of Corral."""
