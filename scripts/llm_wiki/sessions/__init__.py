"""Sessions of coding agents on disk: switch, listing, capture by hand, promotion, erasing."""
