"""Use cases and what they need from the machine: folders, resources, tokenizer, clock."""
