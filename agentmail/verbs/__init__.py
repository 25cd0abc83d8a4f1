"""The verbs: the work of each command as one function in one module, with plain values in and out.

What a verb returns is the shape that `--json` prints, a TypedDict beside the verb.
"""
