"""What `benchmarks/run.py` is made of: inputs, measuring, the gate of equal answers, and the table."""
