"""Every fault that can be arranged, against every command, judged by a reader that is not the product."""
