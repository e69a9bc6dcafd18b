"""How losses are computed: ratios, divergences and suprema, for each form in which a mechanism is given."""
