"""The same list of cases for every host, with the real clients against the scripted model.

bench.py        what a case asks of a host
<host>.py       one host's bench
test_cases.py   the cases
"""
