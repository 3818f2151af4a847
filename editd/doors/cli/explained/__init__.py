"""A finished edit as a picture: ``facts`` says what is drawn, ``terminal`` and ``page`` draw it."""
