(* Kalantari, Sankar and Sarwate (2018), Theorems 1 and 2(a), for every number of letters. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Levels Bounds Convex Hamming.
Open Scope R_scope.

(* Class I: a mixture of members is uniform. *)
Definition class_one (n : nat) (S : (nat -> R) -> Prop) : Prop :=
  exists k w (ps : nat -> nat -> R), is_law k w /\ (forall i, (i < k)%nat -> S (ps i) /\ is_law n (ps i)) /\
    forall x, (x < n)%nat -> / INR n = sum k (fun i => w i * ps i x).

Lemma errs_uniform : forall n S Q D, class_one n S -> is_mechanism n n Q ->
  (forall p, S p -> is_law n p -> errs n p Q <= D) -> errs n (fun _ => / INR n) Q <= D.
Proof.
  intros n S Q D [k [w [ps [[Hw Hw1] [Hps E]]]]] HQ HD; unfold errs, distortion.
  rewrite (sum_ext _ _ (fun x => sum k (fun i => w i * (ps i x * sum n (fun y => Q x y * error x y))))).
  2:{ intros x Hx; rewrite (E x Hx), <- sum_scale_r; apply sum_ext; intros; ring. }
  rewrite sum_swap; apply Rle_trans with (sum k (fun i => w i * D)); [|rewrite sum_scale_r, Hw1; lra].
  apply sum_le; intros i Hi; rewrite sum_scale; apply Rmult_le_compat_l; [apply Hw; assumption|].
  destruct (Hps i Hi); apply (HD (ps i)); assumption.
Qed.

(* A private mechanism errs under the uniform distribution at least so often. *)
Lemma private_errs : forall n Q eps, (2 <= n)%nat -> is_mechanism n n Q -> private n Q eps ->
  (INR n - 1) * (1 - errs n (fun _ => / INR n) Q) <= exp eps * errs n (fun _ => / INR n) Q.
Proof.
  intros n Q eps Hn HQ HP.
  assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  rewrite errs_diagonal by (try apply uniform_law; try assumption; lia).
  set (T := sum n (fun x => Q x x)).
  rewrite (sum_scale n (/ INR n) (fun x => Q x x)); fold T.
  (* what is not on the diagonal, added up by rows and by columns *)
  set (off := sum n (fun x => sum n (fun y => if Nat.eqb x y then 0 else Q x y))).
  assert (R : off = INR n - T).
  { unfold off, T; rewrite <- (Rmult_1_r (INR n)), <- (sum_const n 1), <- sum_minus; apply sum_ext; intros x Hx.
    rewrite <- (proj2 HQ x Hx), (sum_but n x (Q x)) by assumption.
    rewrite (sum_ext n (fun y => if Nat.eqb x y then 0 else Q x y) (fun y => if Nat.eqb y x then 0 else Q x y)); [lra|].
    intros y _; rewrite Nat.eqb_sym; reflexivity. }
  assert (C : (INR n - 1) * T <= exp eps * off).
  { unfold T, off; rewrite sum_swap, <- !sum_scale; apply sum_le; intros y Hy.
    rewrite <- sum_scale; replace ((INR n - 1) * Q y y) with (sum n (fun x => if Nat.eqb x y then 0 else Q y y)).
    - apply sum_le; intros x Hx; destruct (Nat.eqb_spec x y) as [|Hne]; [lra|].
      apply (private_entries n Q eps y x y); auto.
    - assert (E := sum_but n y (fun _ => Q y y) Hy); rewrite sum_const in E; lra. }
  rewrite R in C.
  apply Rmult_le_reg_l with (INR n); [assumption|].
  replace (INR n * ((INR n - 1) * (1 - (1 - / INR n * T)))) with ((INR n - 1) * T) by (field; lra).
  replace (INR n * (exp eps * (1 - / INR n * T))) with (exp eps * (INR n - T)) by (field; lra).
  exact C.
Qed.

(* Theorem 1: for sources of Class I the least loss at the distortion D < (n-1)/n is log ((n-1)(1-D)/D). *)
Theorem kalantari_theorem_1 : forall n S D, (2 <= n)%nat -> class_one n S -> 0 < D < (INR n - 1) / INR n ->
  let least := ln ((INR n - 1) * (1 - D) / D) in
  (exists Q, is_mechanism n n Q /\ private n Q least /\ forall p, S p -> is_law n p -> errs n p Q <= D) /\
  (forall Q eps, is_mechanism n n Q -> private n Q eps -> (forall p, S p -> is_law n p -> errs n p Q <= D) -> least <= eps).
Proof.
  intros n S D Hn HS [D0 D1] least.
  assert (N : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; assumption).
  assert (D2 : D * INR n < INR n - 1).
  { apply Rmult_lt_compat_r with (r := INR n) in D1; [|lra].
    unfold Rdiv in D1; rewrite Rmult_assoc, Rinv_l, Rmult_1_r in D1 by lra; exact D1. }
  assert (D3 : D < 1).
  { apply Rmult_lt_reg_r with (INR n); lra. }
  assert (G : 0 < (INR n - 1) * (1 - D) / D) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption]).
  split.
  - set (b := D / (INR n - 1)).
    assert (B : 0 < b) by (apply Rdiv_lt_0_compat; lra).
    assert (Eb : (INR n - 1) * b = D) by (unfold b; field; lra).
    assert (GB : exp least * b = 1 - D) by (unfold least; rewrite exp_ln by assumption; unfold b; field; lra).
    assert (BD : b <= 1 - D).
    { apply Rmult_le_reg_l with (INR n - 1); [lra|]; rewrite Eb; lra. }
    assert (G1 : 1 <= exp least).
    { apply Rmult_le_reg_r with b; [assumption|]; lra. }
    assert (HQ : is_mechanism n n (response (1 - D) b)).
    { split; [intros x y _ _; unfold response; destruct (Nat.eqb x y); lra|].
      intros x Hx; rewrite response_rows by assumption; lra. }
    exists (response (1 - D) b); split; [exact HQ|split].
    + apply private_of_entries; intros x x' y _ _ _ _; unfold response.
      assert (b <= exp least * b) by (rewrite GB; lra).
      assert (1 - D <= exp least * (1 - D)) by (rewrite <- (Rmult_1_l (1 - D)) at 1; apply Rmult_le_compat_r; lra).
      destruct (Nat.eqb x y), (Nat.eqb x' y); lra.
    + intros p _ Hp; rewrite errs_diagonal by assumption.
      rewrite (sum_ext _ _ (fun x => p x * (1 - D))) by (intros; unfold response; rewrite Nat.eqb_refl; reflexivity).
      rewrite sum_scale_r, (proj2 Hp); lra.
  - intros Q eps HQ HP HD; assert (U := errs_uniform n S Q D HS HQ HD).
    assert (K := private_errs n Q eps Hn HQ HP); set (e := errs n (fun _ => / INR n) Q) in *.
    apply ln_le_of; [assumption|].
    assert (E0 : 0 < exp eps) by apply exp_pos.
    apply Rmult_le_reg_r with D; [assumption|].
    replace ((INR n - 1) * (1 - D) / D * D) with ((INR n - 1) * (1 - D)) by (field; lra).
    apply Rle_trans with ((INR n - 1) * (1 - e)); [apply Rmult_le_compat_l; lra|].
    eapply Rle_trans; [exact K|apply Rmult_le_compat_l; lra].
Qed.

(* Theorem 2(a): outputs that are never given cost at least their probability. *)
Theorem kalantari_theorem_2a : forall n p Q (left_out : nat -> bool), is_law n p -> is_mechanism n n Q ->
  (forall x y, (x < n)%nat -> (y < n)%nat -> left_out y = true -> Q x y = 0) ->
  chance n p left_out <= errs n p Q.
Proof.
  intros n p Q out Hp HQ H; rewrite errs_diagonal by assumption.
  rewrite <- (proj2 Hp), <- sum_minus; unfold chance; apply sum_le; intros x Hx.
  destruct (out x) eqn:E; [rewrite (H x x) by assumption; lra|].
  assert (Q x x <= 1).
  { rewrite <- (proj2 HQ x Hx); apply (sum_pos n (Q x)); [intros; apply HQ; assumption|assumption]. }
  assert (0 <= p x * (1 - Q x x)) by (apply Rmult_le_pos; [apply Hp; assumption|lra]); lra.
Qed.

(* From D = (n-1)/n on, any answer at random does. *)
Theorem kalantari_theorem_1_beyond : forall n D, (1 <= n)%nat -> (INR n - 1) / INR n <= D ->
  exists Q, is_mechanism n n Q /\ private n Q 0 /\ forall p, is_law n p -> errs n p Q <= D.
Proof.
  intros n D Hn HD; assert (N : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat; lra).
  assert (HQ : is_mechanism n n (fun _ _ => / INR n)).
  { split; [intros; lra|intros; rewrite sum_const; field; lra]. }
  exists (fun _ _ => / INR n); split; [exact HQ|split].
  - apply private_of_entries; intros; rewrite exp_0; lra.
  - intros p Hp; rewrite errs_diagonal, sum_scale_r, (proj2 Hp) by assumption.
    unfold Rdiv in HD; rewrite Rmult_minus_distr_r, Rinv_r in HD by lra; lra.
Qed.
