"""What tests of every room share: a reader of the bus, the command line as a process, faults."""
