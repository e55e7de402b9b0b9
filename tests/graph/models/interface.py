"""What every model of the corpus takes and makes."""

SEQUENCE_LENGTH = 16
VOCABULARY = 23
