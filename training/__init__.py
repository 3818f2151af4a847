"""How the embedded model is made: corpus, examples, training, evaluation. No part of the product."""
