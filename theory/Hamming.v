(* Hamming distortion and differential privacy of an alphabet: what the theorems of the papers share. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Levels Bounds.
Open Scope R_scope.

(* The cost of an error is 1. *)
Definition error (x y : nat) : R := if Nat.eqb x y then 0 else 1.

Definition private (n : nat) (Q : nat -> nat -> R) (eps : R) : Prop := keeps_events n n alphabet 0 Q eps.
Definition errs (n : nat) (p : nat -> R) (Q : nat -> nat -> R) : R := distortion n n error p Q.

Lemma row_error : forall n Q x, is_mechanism n n Q -> (x < n)%nat -> sum n (fun y => Q x y * error x y) = 1 - Q x x.
Proof.
  intros n Q x [_ H] Hx; rewrite <- (H x Hx), (sum_but n x (Q x)) by assumption.
  rewrite (sum_ext _ _ (fun y => if Nat.eqb y x then 0 else Q x y)); [lra|].
  intros y _; unfold error; rewrite Nat.eqb_sym; destruct (Nat.eqb y x); lra.
Qed.

Lemma errs_diagonal : forall n p Q, is_law n p -> is_mechanism n n Q -> errs n p Q = 1 - sum n (fun x => p x * Q x x).
Proof.
  intros n p Q [_ Hs] HQ; unfold errs, distortion; rewrite <- Hs, <- sum_minus; apply sum_ext; intros x Hx.
  rewrite row_error by assumption; ring.
Qed.

Lemma chance_one : forall m f y, (y < m)%nat -> chance m f (fun y' => Nat.eqb y' y) = f y.
Proof.
  intros m f y Hy; unfold chance; rewrite <- (sum_single m y (f y) Hy); apply sum_ext; intros j _.
  destruct (Nat.eqb_spec j y) as [->|]; reflexivity.
Qed.

Lemma private_entries : forall n Q eps x x' y, private n Q eps -> (x < n)%nat -> (x' < n)%nat -> (y < n)%nat -> x <> x' ->
  Q x y <= exp eps * Q x' y.
Proof.
  intros n Q eps x x' y H Hx Hx' Hy Hne.
  assert (A : alphabet x x' = Some 1%Q) by (unfold alphabet; destruct (Nat.eqb_spec x x'); [contradiction|reflexivity]).
  assert (K := H x x' 1%Q (fun y' => Nat.eqb y' y) Hx Hx' A).
  rewrite !chance_one, Q2R_1, Rmult_1_r in K by assumption; lra.
Qed.

Lemma private_of_entries : forall n Q eps,
  (forall x x' y, (x < n)%nat -> (x' < n)%nat -> (y < n)%nat -> x <> x' -> Q x y <= exp eps * Q x' y) -> private n Q eps.
Proof.
  intros n Q eps H x x' d event Hx Hx' A.
  unfold alphabet in A; destruct (Nat.eqb_spec x x') as [|Hne]; [discriminate|injection A as <-].
  rewrite Q2R_1, Rmult_1_r, Rplus_0_r; unfold chance; rewrite <- sum_scale; apply sum_le; intros y Hy.
  destruct (event y); [apply H; assumption|lra].
Qed.

(* Randomised response: the truth with probability a, every other answer with probability b. *)
Definition response (a b : R) (x y : nat) : R := if Nat.eqb x y then a else b.

Lemma response_rows : forall n a b x, (x < n)%nat -> sum n (response a b x) = a + (INR n - 1) * b.
Proof.
  intros n a b x Hx; rewrite (sum_but n x) by assumption.
  assert (E : sum n (fun _ => b) = b + sum n (fun j => if Nat.eqb j x then 0 else b)) by (apply (sum_but n x (fun _ => b)); assumption).
  rewrite sum_const in E; unfold response at 1; rewrite Nat.eqb_refl.
  rewrite (sum_ext n (fun j => if Nat.eqb j x then 0 else response a b x j) (fun j => if Nat.eqb j x then 0 else b)); [lra|].
  intros j _; unfold response; rewrite (Nat.eqb_sym x j); destruct (Nat.eqb j x); reflexivity.
Qed.
