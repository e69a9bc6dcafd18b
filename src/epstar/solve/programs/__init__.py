"""The general programs: from a notion, a source and a distortion to rows and cones, and from floats to evidence."""
