(* What the theorems rest on: printed when the theory is built. *)

From Epstar Require Import Epstar.

Print Assumptions excluded_loss_sound.
Print Assumptions excluded_distortion_sound.
Print Assumptions excluded_mechanism_sound.
Print Assumptions attained_sound.
Print Assumptions some_mechanism_sound.
