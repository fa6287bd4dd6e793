"""The widgets of the window.  A view shows what belongs to the desk's place and judges nothing."""
