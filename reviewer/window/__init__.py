"""The window.  Qt is imported by its modules, never by this package itself."""
