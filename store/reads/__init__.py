"""Every way the store is read: one module per reader, each returning frozen views or plain values."""
