"""What was recorded: evidence read, kept and addressed exactly.

`store` knows no judgement.  Records (`store.records`) are the language of the
whole program; importers turn recorded formats into records; the repository
keeps them; results give exact text back after its hash was checked.
"""
