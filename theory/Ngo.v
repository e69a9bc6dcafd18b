(* Ngo, Ostergaard and others (2024), Theorem 2(a), corrected, for every number of inputs and outputs: what a bound mu on the
   pointwise leakage says of local information privacy. The paper asks for a bound on mutual information, the mean of that
   leakage, for which the statement fails. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds Convex.
Open Scope R_scope.

(* The divergence of two coins is at most mu. *)
Definition coins_within (a b mu : R) : Prop :=
  (0 < a -> 0 < b) /\ (a < 1 -> b < 1) /\ a * ln (a / b) + (1 - a) * ln ((1 - a) / (1 - b)) <= mu.

Definition negated (event : nat -> bool) (y : nat) : bool := negb (event y).

Lemma chance_total : forall m f event, chance m f event + chance m f (negated event) = sum m f.
Proof.
  intros; unfold chance, negated; rewrite <- sum_plus; apply sum_ext; intros; destruct (event i); simpl; lra.
Qed.

Lemma chance_nonneg : forall m f event, (forall y, (y < m)%nat -> 0 <= f y) -> 0 <= chance m f event.
Proof. intros; apply sum_nonneg; intros; destruct (event i); [auto|lra]. Qed.

Lemma chance_positive : forall m f g event, (forall y, (y < m)%nat -> 0 <= f y) -> (forall y, (y < m)%nat -> 0 <= g y) ->
  (forall y, (y < m)%nat -> 0 < f y -> 0 < g y) -> 0 < chance m f event -> 0 < chance m g event.
Proof.
  intros m f g event Hf Hg H C; destruct (chance_nonneg m g event Hg) as [|Z]; [assumption|exfalso].
  enough (chance m f event = 0) by lra; apply sum_zero; intros y Hy.
  assert (K := sum_vanishes m (fun y => if event y then g y else 0)
    (fun y Hy => match event y as e return 0 <= (if e then g y else 0) with true => Hg y Hy | false => Rle_refl 0 end)
    (eq_sym Z) y Hy); cbv beta in K.
  destruct (event y); [|reflexivity].
  destruct (Hf y Hy) as [F|]; [specialize (H y Hy F); lra|auto].
Qed.

(* The log-sum inequality over an event. *)
Lemma log_sum : forall m f g event, (forall y, (y < m)%nat -> 0 <= f y) -> (forall y, (y < m)%nat -> 0 <= g y) ->
  (forall y, (y < m)%nat -> 0 < f y -> 0 < g y) ->
  chance m f event * ln (chance m f event / chance m g event)
    <= chance m (fun y => f y * ln (f y / g y)) event.
Proof.
  intros m f g event Hf Hg H.
  set (A := chance m f event); set (B := chance m g event).
  destruct (chance_nonneg m f event Hf) as [A0|A0]; fold A in A0.
  - assert (B0 : 0 < B) by (apply (chance_positive m f g event); assumption).
    set (l := ln (A / B)).
    apply Rle_trans with (chance m (fun y => (1 + l) * f y - exp l * g y) event).
    + rewrite chance_minus; replace (chance m (fun y => (1 + l) * f y) event) with ((1 + l) * A).
      * fold B; unfold l at 3; rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption).
        right; field; lra.
      * unfold A, chance; rewrite <- sum_scale; apply sum_ext; intros; destruct (event i); ring.
    + unfold chance; apply sum_le; intros y Hy; destruct (event y); [|lra].
      apply entropy_tangent; auto.
  - rewrite <- A0, Rmult_0_l; right; symmetry; apply sum_zero; intros y Hy.
    assert (K := sum_vanishes m (fun y => if event y then f y else 0)
      (fun y Hy => match event y as e return 0 <= (if e then f y else 0) with true => Hf y Hy | false => Rle_refl 0 end)
      (eq_sym A0) y Hy); cbv beta in K.
    destruct (event y); [rewrite K; ring|reflexivity].
Qed.

Lemma output_law : forall n m p Q, is_law n p -> is_mechanism n m Q -> sum m (output n p Q) = 1.
Proof.
  intros n m p Q Hp HQ; unfold output; rewrite <- (sum_swap n m (fun x y => p x * Q x y)), <- (proj2 Hp).
  apply sum_ext; intros x Hx; rewrite sum_scale, (proj2 HQ x Hx); ring.
Qed.

(* Every event is a coin, and coins cannot lie further apart than the rows that they are made from. *)
Lemma events_are_coins : forall n m p Q mu x event, is_law n p -> is_mechanism n m Q -> loses_pointwise n m p Q mu ->
  (x < n)%nat -> coins_within (chance m (Q x) event) (chance m (output n p Q) event) mu.
Proof.
  intros n m p Q mu x event Hp HQ H Hx; destruct (H x Hx) as [AC D].
  assert (F : forall y, (y < m)%nat -> 0 <= Q x y) by (intros; apply HQ; assumption).
  assert (G : forall y, (y < m)%nat -> 0 <= output n p Q y) by (intros; apply (output_nonneg n m); assumption).
  assert (T1 := chance_total m (Q x) event); rewrite (proj2 HQ x Hx) in T1.
  assert (T2 := chance_total m (output n p Q) event); rewrite (output_law n m p Q Hp HQ) in T2.
  split; [|split].
  - apply chance_positive; assumption.
  - intro A; enough (0 < chance m (output n p Q) (negated event)) by lra.
    apply (chance_positive m (Q x)); try assumption; lra.
  - eapply Rle_trans; [|exact D]; unfold divergence.
    rewrite <- (chance_total m _ event).
    assert (L1 := log_sum m (Q x) (output n p Q) event F G AC).
    assert (L2 := log_sum m (Q x) (output n p Q) (negated event) F G AC).
    replace (chance m (Q x) (negated event)) with (1 - chance m (Q x) event) in L2 by lra.
    replace (chance m (output n p Q) (negated event)) with (1 - chance m (output n p Q) event) in L2 by lra.
    lra.
Qed.

Theorem ngo_theorem_2a : forall n m p Q mu eps delta, is_law n p -> is_mechanism n m Q -> loses_pointwise n m p Q mu ->
  (forall a b, 0 <= a <= 1 -> 0 <= b <= 1 -> coins_within a b mu -> b - exp eps * a <= delta /\ exp (- eps) * a - b <= delta) ->
  stays_near n m delta p Q eps.
Proof.
  intros n m p Q mu eps delta Hp HQ H C x event Hx.
  assert (F : forall y, (y < m)%nat -> 0 <= Q x y) by (intros; apply HQ; assumption).
  assert (G : forall y, (y < m)%nat -> 0 <= output n p Q y) by (intros; apply (output_nonneg n m); assumption).
  assert (T1 := chance_total m (Q x) event); rewrite (proj2 HQ x Hx) in T1.
  assert (T2 := chance_total m (output n p Q) event); rewrite (output_law n m p Q Hp HQ) in T2.
  assert (A1 := chance_nonneg m (Q x) event F); assert (A2 := chance_nonneg m (Q x) (negated event) F).
  assert (B1 := chance_nonneg m _ event G); assert (B2 := chance_nonneg m _ (negated event) G).
  destruct (C (chance m (Q x) event) (chance m (output n p Q) event)) as [C1 C2]; [lra|lra| |lra].
  apply (events_are_coins n m p Q mu x event); assumption.
Qed.
