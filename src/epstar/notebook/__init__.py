"""How answers, mechanisms, curves and their kin look in a notebook: one line, a table, a picture, a frame, a file.

`face` is what the objects themselves know of it; everything else is loaded when it is first asked for.
"""
