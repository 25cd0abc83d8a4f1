"""What a call costs, as ratios to floors and peers, measured in one interleaved run: `./dev bench`."""
