"""The views of the window: each module with a ``PANEL`` is found by walking this package."""
