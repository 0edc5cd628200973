"""Other queues on PostgreSQL, for comparison: installed for as long as a measurement takes, and never part of the lock."""
