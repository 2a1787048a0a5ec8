"""Pages, charts and films for people: self-contained HTML that opens anywhere and asks nothing of the network."""
