"""Files as named arrays. Only the reader process opens them, and it imports a library when a file needs it."""
