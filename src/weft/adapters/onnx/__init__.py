"""Local sentence vectors from MiniLM, by ONNX Runtime or numpy."""
