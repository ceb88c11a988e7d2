"""The RDF side: an ontology and readable claims as statements, and typed questions to them."""
