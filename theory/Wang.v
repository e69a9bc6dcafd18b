(* Wang, Ying and Zhang (2016), Theorem 1, the bound of identifiability on distortion, for every number of values and every
   distribution: (m - 1) / (m - 1 + e^eps) of the answers are wrong at least. Here the database has one row. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Levels Bounds Hamming.
Open Scope R_scope.

Theorem wang_theorem_1 : forall m p Q eps, (1 <= m)%nat -> is_law m p -> is_mechanism m m Q ->
  identifies m m alphabet p Q eps -> (INR m - 1) / (INR m - 1 + exp eps) <= errs m p Q.
Proof.
  intros m p Q eps Hm Hp HQ H.
  assert (N : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (E0 : 0 < exp eps) by apply exp_pos.
  assert (J : forall x y, (x < m)%nat -> (y < m)%nat -> x <> y -> p y * Q y y <= exp eps * (p x * Q x y)).
  { intros x y Hx Hy Hne.
    assert (A : alphabet y x = Some 1%Q) by (unfold alphabet; destruct (Nat.eqb_spec y x); [lia|reflexivity]).
    destruct (output_nonneg m m p Q y Hp HQ Hy) as [O|O].
    - assert (K := H y x 1%Q y Hy Hx Hy A O); rewrite Q2R_1, Rmult_1_r in K.
      apply Rmult_le_compat_r with (r := output m p Q y) in K; [|lra].
      replace (p y * Q y y / output m p Q y * output m p Q y) with (p y * Q y y) in K by (field; lra).
      replace (exp eps * (p x * Q x y / output m p Q y) * output m p Q y) with (exp eps * (p x * Q x y)) in K by (field; lra).
      exact K.
    - rewrite (output_zero m m p Q y y Hp HQ Hy Hy), (output_zero m m p Q x y Hp HQ Hx Hy) by auto; lra. }
  rewrite errs_diagonal by assumption; set (right := sum m (fun x => p x * Q x x)).
  set (off := sum m (fun x => sum m (fun y => if Nat.eqb x y then 0 else p x * Q x y))).
  assert (R : off = 1 - right).
  { unfold off, right; rewrite <- (proj2 Hp), <- sum_minus; apply sum_ext; intros x Hx.
    assert (S := proj2 HQ x Hx); rewrite (sum_but m x (Q x)) in S by assumption.
    rewrite (sum_ext _ _ (fun y => p x * (if Nat.eqb y x then 0 else Q x y))).
    - rewrite sum_scale; replace (sum m (fun y => if Nat.eqb y x then 0 else Q x y)) with (1 - Q x x) by lra; ring.
    - intros y _; rewrite Nat.eqb_sym; destruct (Nat.eqb y x); ring. }
  assert (C : (INR m - 1) * right <= exp eps * off).
  { unfold right, off; rewrite sum_swap, <- !sum_scale; apply sum_le; intros y Hy.
    rewrite <- sum_scale; replace ((INR m - 1) * (p y * Q y y)) with (sum m (fun x => if Nat.eqb x y then 0 else p y * Q y y)).
    - apply sum_le; intros x Hx; destruct (Nat.eqb_spec x y) as [|Hne]; [lra|apply J; assumption].
    - assert (E := sum_but m y (fun _ => p y * Q y y) Hy); rewrite sum_const in E; lra. }
  rewrite R in C; apply Rmult_le_reg_r with (INR m - 1 + exp eps); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; lra.
Qed.
