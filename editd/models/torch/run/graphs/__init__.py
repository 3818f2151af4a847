"""Forward passes of few shapes, recorded once and replayed."""
