"""Every way the store can change: one module per verb."""
