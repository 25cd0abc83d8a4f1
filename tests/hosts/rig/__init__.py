"""The rig for tests with real hosts: the pinned clients, a scripted model, a terminal.

A client runs for real, in a home of its own under the test's directory, and talks to a scripted model on the
loopback interface. The model keeps every request, so a test can say what reached it.

    clients.txt        the pinned clients, one line each; install.sh puts them into a cache folder
    clients.py         where a client is
    script.py          what the model answers
    model.py           the model's HTTP side; one file each for the APIs that it speaks:
                       messages_api.py, responses_api.py, chat_api.py, gemini_api.py (api.py says what one is)
    conversation.py    reading and comparing the requests that were kept
    on_terminal.py     a program on a pseudo-terminal (terminal.py is its screen)
    waiting.py         waiting for an event, with a deadline
    watches.py         which directories a process watches
"""
