"""What the caller of a wrong call is told: what was meant, and the right call. No other call loads it.

`misuse` looks at words and options that do not fit their command, `guesses` and `guessed_call` at commands that do not
exist. `filled_call` (send, reply, delegate) and `filled_register` fill in the right call with what was given, for which
`people` says who exists. `next_call` adds all of it to an error.
"""
