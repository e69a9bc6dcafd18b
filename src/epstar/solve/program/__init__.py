"""Programs that know numbers and no privacy: searches, linear programs and barriers."""
