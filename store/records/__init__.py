"""The language of the whole program: frozen records, no behaviour beyond their own consistency.

Every module above speaks in these types.  Nothing here reads files, talks to
a database, imports Qt or judges anything.
"""
