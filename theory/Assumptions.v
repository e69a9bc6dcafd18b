(* What the theorems rest on: printed when the theory is built. *)

From Epstar Require Import Epstar Kalantari Zhong Wang Ngo Alvim.

Print Assumptions excluded_loss_sound.
Print Assumptions excluded_distortion_sound.
Print Assumptions excluded_mechanism_sound.
Print Assumptions attained_sound.
Print Assumptions some_mechanism_sound.

Print Assumptions kalantari_theorem_1.
Print Assumptions kalantari_theorem_1_beyond.
Print Assumptions kalantari_theorem_2a.
Print Assumptions zhong_theorem_13.
Print Assumptions wang_theorem_1.
Print Assumptions ngo_theorem_2a.
Print Assumptions alvim_theorem_1.
