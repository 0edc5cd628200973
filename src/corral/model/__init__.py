"""Words that everything in Corral shares: states, records, errors. Imports nothing of ours."""
