"""Records turned into the rows and strings that views show.  Nothing here imports Qt."""
