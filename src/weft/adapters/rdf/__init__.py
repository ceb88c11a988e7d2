"""RDF read by pyoxigraph."""
