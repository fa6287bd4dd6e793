"""The display filter: which rows of a table are shown.

A filter is written in the words of the columns, ``verdict == from_memory and
call > 3``; a word alone asks for rows whose text contains it.  It is read by
`parser.parse` into the tree of `tree`, written again by `tree.written`,
answered for a million rows at once by `arrays`, and completed while it is
typed by `completion`.  Nothing in it is ever run as code or as a pattern.

A filter hides rows.  It changes no total.
"""
