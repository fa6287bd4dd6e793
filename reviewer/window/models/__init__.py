"""Qt's view of the presenters' rows.  A model looks up; it formats and judges nothing."""
