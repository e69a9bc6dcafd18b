(* Rational numbers that a computer adds up, and the real numbers that they stand for. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(* Fractions over one denominator are added without a product of denominators. *)
Definition qadd (a b : Q) : Q :=
  if Pos.eqb (Qden a) (Qden b) then Qmake (Qnum a + Qnum b) (Qden a) else Qplus a b.

Lemma qadd_real : forall a b, Q2R (qadd a b) = Q2R a + Q2R b.
Proof.
  intros [a d] [b e]; unfold qadd; simpl.
  destruct (Pos.eqb_spec d e) as [->|]; [|apply Q2R_plus].
  unfold Q2R; simpl; rewrite plus_IZR; lra.
Qed.

Definition qmul (a b : Q) : Q := if Z.eqb (Qnum a) 0 then 0%Q else if Z.eqb (Qnum b) 0 then 0%Q else Qmult a b.

Lemma Q2R_0 : Q2R 0 = 0.
Proof. unfold Q2R; simpl; lra. Qed.

Lemma Q2R_1 : Q2R 1 = 1.
Proof. unfold Q2R; simpl; lra. Qed.

Lemma Q2R_num_0 : forall a, Qnum a = 0%Z -> Q2R a = 0.
Proof. intros [n d] H; simpl in H; subst; unfold Q2R; simpl; lra. Qed.

Lemma qmul_real : forall a b, Q2R (qmul a b) = Q2R a * Q2R b.
Proof.
  intros a b; unfold qmul.
  destruct (Z.eqb_spec (Qnum a) 0) as [E|]; [rewrite Q2R_0, (Q2R_num_0 a E); lra|].
  destruct (Z.eqb_spec (Qnum b) 0) as [E|]; [rewrite Q2R_0, (Q2R_num_0 b E); lra|apply Q2R_mult].
Qed.

Definition qle (a b : Q) : bool := Qle_bool a b.
Definition qlt (a b : Q) : bool := negb (Qle_bool b a).

Lemma qle_real : forall a b, qle a b = true -> Q2R a <= Q2R b.
Proof. intros a b H; apply Qle_Rle, Qle_bool_iff, H. Qed.

Lemma qlt_real : forall a b, qlt a b = true -> Q2R a < Q2R b.
Proof.
  unfold qlt; intros a b H; apply Qlt_Rlt, Qnot_le_lt; intro C.
  apply Qle_bool_iff in C; rewrite C in H; discriminate.
Qed.

Lemma qle_pos : forall a, qle 0 a = true -> 0 <= Q2R a.
Proof. intros a H; apply qle_real in H; rewrite Q2R_0 in H; exact H. Qed.

Lemma qlt_pos : forall a, qlt 0 a = true -> 0 < Q2R a.
Proof. intros a H; apply qlt_real in H; rewrite Q2R_0 in H; exact H. Qed.

Fixpoint qsum (n : nat) (f : nat -> Q) : Q :=
  match n with
  | O => 0%Q
  | S O => f O
  | S k => qadd (qsum k f) (f k)
  end.

Lemma qsum_real : forall n f, Q2R (qsum n f) = sum n (fun i => Q2R (f i)).
Proof.
  induction n as [|[|n] IH]; intros f; [apply Q2R_0|simpl; lra|].
  change (qsum (S (S n)) f) with (qadd (qsum (S n) f) (f (S n))).
  rewrite qadd_real, IH; reflexivity.
Qed.

Fixpoint qlargest (n : nat) (f : nat -> Q) : Q :=
  match n with
  | O => 0%Q
  | S k => let rest := qlargest k f in if qle rest (f k) then f k else rest
  end.

Lemma qlargest_real : forall n f, Q2R (qlargest n f) = largest n (fun i => Q2R (f i)).
Proof.
  induction n; intros f; [apply Q2R_0|]; simpl.
  destruct (qle (qlargest n f) (f n)) eqn:E.
  - apply qle_real in E; rewrite <- IHn, Rmax_right; auto.
  - rewrite <- IHn, Rmax_left; auto; left.
    apply qlt_real; unfold qlt; unfold qle in E; rewrite E; reflexivity.
Qed.

Fixpoint below (n : nat) (test : nat -> bool) : bool :=
  match n with
  | O => true
  | S k => test k && below k test
  end.

Lemma below_true : forall n test, below n test = true -> forall i, (i < n)%nat -> test i = true.
Proof.
  induction n; intros test H i Hi; [lia|]; simpl in H; apply andb_prop in H as [H1 H2].
  destruct (Nat.eq_dec i n) as [->|]; [exact H1|apply IHn; [exact H2|lia]].
Qed.

(* Vectors and matrices as lists; what is not listed is zero. *)
Definition at_ (v : list Q) (i : nat) : Q := nth i v 0%Q.
Definition at2 (v : list (list Q)) (i j : nat) : Q := nth j (nth i v []) 0%Q.
Definition real (v : list Q) (i : nat) : R := Q2R (at_ v i).
Definition real2 (v : list (list Q)) (i j : nat) : R := Q2R (at2 v i j).

Definition table {A} (n : nat) (f : nat -> A) : list A := map f (seq 0 n).

Lemma nth_table : forall A n (f : nat -> A) d i, (i < n)%nat -> nth i (table n f) d = f i.
Proof.
  intros; unfold table; rewrite (nth_indep _ d (f O)) by (rewrite map_length, seq_length; assumption).
  rewrite map_nth, seq_nth; auto.
Qed.
