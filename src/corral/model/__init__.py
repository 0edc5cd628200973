"""The words of Corral as types: ids, states, records, errors. Imports nothing of ours."""
