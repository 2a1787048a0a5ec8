"""Files as named arrays. Only the reading process imports from here, and no library before it is needed."""
