"""The audit: records in, facts and findings out.

Pure: the same records give the same facts on every machine.  No clock, disk,
network, database, tokenizer or Qt; what depends on those comes in as an
argument.
"""
