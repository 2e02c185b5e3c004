"""The one desk: what is proposed, by whom, and what a person decided (`review.md`)."""
