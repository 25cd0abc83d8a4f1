"""A deletable cache of what the files of a mailbox say, in SQLite, beside this machine's other state for the bus.

    ~/.agents/machine/_<path of the bus>/index/<identity>.db     rows of the messages, and their text for search
                                               <identity>.seal   which file is complete, and which reader wrote it

It may be missing, old, torn or of another version at any moment, and no answer changes; only time does.

Why one file a mailbox: a small mailbox beside a large one never loads SQLite, two of them are written at once, and the
rest of a mailbox that is gone is one file.
Why not in the bus: whoever shares the bus could plant rows, and the text would travel with it.
"""
