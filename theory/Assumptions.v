(* What the theorems rest on: printed when the theory is built. *)

From Epstar Require Import Epstar Kalantari Zhong Wang Ngo Alvim.

Definition soundness :=
  (excluded_loss_sound, excluded_distortion_sound, excluded_below_sound, excluded_mechanism_sound, excluded_cost_sound, attained_sound, some_mechanism_sound).

Definition theorems_of_papers :=
  (kalantari_theorem_1, kalantari_theorem_1_beyond, kalantari_theorem_2a, kalantari_theorem_2a_ordered,
   kalantari_theorem_2b, kalantari_theorem_2b_first, kalantari_theorem_2b_zero,
   zhong_theorem_13, zhong_theorem_13_ordered, zhong_theorem_13_zero,
   wang_theorem_1, wang_theorem_1_beyond, wang_theorem_1_privacy,
   ngo_theorem_2a,
   alvim_theorem_1, alvim_symmetric_graphs, alvim_symmetric_graphs_attained, alvim_one_orbit).

Definition main_theorems := (soundness, theorems_of_papers).
Print Assumptions main_theorems.
