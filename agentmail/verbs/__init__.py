"""The post office: one verb, one module, one function; plain values in, plain values out.

What comes out is the shape that `--json` prints; outcomes.py names those shapes.
"""
