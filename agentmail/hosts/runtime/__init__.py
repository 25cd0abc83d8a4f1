"""What the hooks of every host do: check, guard, wake. A host's dialect reads the payload and words the answer."""
