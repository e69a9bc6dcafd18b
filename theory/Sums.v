(* Finite sums of real numbers over 0, ..., n - 1, and largest values. *)

From Coq Require Import Reals Lra Lia Arith List Bool.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S k => sum k f + f k
  end.

(* The largest of f 0, ..., f (n - 1); of non-negative numbers, and 0 of none. *)
Fixpoint largest (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S k => Rmax (largest k f) (f k)
  end.

Lemma sum_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n; intros f g H; simpl; [reflexivity|].
  rewrite (IHn f g); [rewrite (H n)|]; auto.
Qed.

Lemma sum_zero : forall n f, (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof.
  induction n; intros f H; simpl; [reflexivity|].
  rewrite IHn, H; auto; lra.
Qed.

Lemma sum_plus : forall n f g, sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; intros; simpl; [lra|rewrite IHn; lra]. Qed.

Lemma sum_minus : forall n f g, sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n; intros; simpl; [lra|rewrite IHn; lra]. Qed.

Lemma sum_scale : forall n c f, sum n (fun i => c * f i) = c * sum n f.
Proof. induction n; intros; simpl; [lra|rewrite IHn; lra]. Qed.

Lemma sum_scale_r : forall n c f, sum n (fun i => f i * c) = sum n f * c.
Proof. induction n; intros; simpl; [lra|rewrite IHn; lra]. Qed.

Lemma sum_const : forall n c, sum n (fun _ => c) = INR n * c.
Proof.
  induction n; intros; [simpl; lra|].
  rewrite S_INR; simpl sum; rewrite IHn; lra.
Qed.

Lemma sum_le : forall n f g, (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n; intros f g H; simpl; [lra|].
  apply Rplus_le_compat; auto.
Qed.

Lemma sum_nonneg : forall n f, (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  induction n; intros f H; simpl; [lra|].
  apply Rplus_le_le_0_compat; auto.
Qed.

Lemma sum_pos : forall n f, (forall i, (i < n)%nat -> 0 <= f i) ->
  forall i, (i < n)%nat -> f i <= sum n f.
Proof.
  induction n; intros f H i Hi; [lia|]; simpl.
  assert (Hs : 0 <= sum n f) by (apply sum_nonneg; auto).
  assert (Hn : 0 <= f n) by auto.
  destruct (Nat.eq_dec i n) as [->|]; [lra|].
  assert (f i <= sum n f) by (apply IHn; [auto|lia]); lra.
Qed.

Lemma sum_vanishes : forall n f, (forall i, (i < n)%nat -> 0 <= f i) -> sum n f = 0 ->
  forall i, (i < n)%nat -> f i = 0.
Proof.
  intros n f H E i Hi; assert (f i <= sum n f) by (apply sum_pos; auto).
  assert (0 <= f i) by auto; lra.
Qed.

Lemma sum_swap : forall n m f, sum n (fun i => sum m (f i)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n; intros m f; simpl.
  - symmetry; apply sum_zero; auto.
  - rewrite IHn, <- sum_plus; reflexivity.
Qed.

Definition at_place (i : nat) (c : R) (j : nat) : R := if Nat.eqb j i then c else 0.

Lemma sum_at_place : forall n i c f, (i < n)%nat ->
  sum n (fun j => at_place i c j * f j) = c * f i.
Proof.
  unfold at_place; induction n; intros i c f Hi; [lia|]; simpl.
  destruct (Nat.eqb_spec n i) as [->|Hne].
  - rewrite sum_zero; [lra|].
    intros j Hj; destruct (Nat.eqb_spec j i); [lia|lra].
  - rewrite IHn; [lra|lia].
Qed.

Lemma largest_ge : forall n f i, (i < n)%nat -> f i <= largest n f.
Proof.
  induction n; intros f i Hi; [lia|]; simpl.
  destruct (Nat.eq_dec i n) as [->|]; [apply Rmax_r|].
  eapply Rle_trans; [apply (IHn f i); lia|apply Rmax_l].
Qed.

Lemma largest_nonneg : forall n f, 0 <= largest n f.
Proof.
  induction n; intros; simpl; [lra|].
  eapply Rle_trans; [apply (IHn f)|apply Rmax_l].
Qed.

Lemma largest_le : forall n f b, 0 <= b -> (forall i, (i < n)%nat -> f i <= b) -> largest n f <= b.
Proof. induction n; intros f b Hb H; simpl; [lra|]; apply Rmax_lub; auto. Qed.

Lemma largest_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> largest n f = largest n g.
Proof.
  induction n; intros f g H; simpl; [reflexivity|].
  rewrite (IHn f g), (H n); auto.
Qed.

Lemma largest_scale : forall n c f, 0 <= c -> largest n (fun i => c * f i) = c * largest n f.
Proof.
  induction n; intros c f Hc; simpl; [lra|].
  rewrite IHn by assumption; unfold Rmax.
  destruct (Rle_dec (c * largest n f) (c * f n)), (Rle_dec (largest n f) (f n)); nra.
Qed.

Lemma sum_but : forall n i f, (i < n)%nat ->
  sum n f = f i + sum n (fun j => if Nat.eqb j i then 0 else f j).
Proof.
  induction n; intros i f Hi; [lia|]; simpl.
  destruct (Nat.eqb_spec n i) as [->|Hne].
  - rewrite (sum_ext i (fun j => if Nat.eqb j i then 0 else f j) f); [lra|].
    intros j Hj; destruct (Nat.eqb_spec j i); [lia|reflexivity].
  - rewrite (IHn i f) by lia; lra.
Qed.

Lemma sum_single : forall n i c, (i < n)%nat -> sum n (fun j => if Nat.eqb j i then c else 0) = c.
Proof.
  intros n i c Hi; rewrite (sum_but n i) by assumption; rewrite Nat.eqb_refl, sum_zero; [lra|].
  intros j _; destruct (Nat.eqb j i); reflexivity.
Qed.

Lemma largest_attained : forall n f, (0 < n)%nat -> (forall x, (x < n)%nat -> 0 <= f x) ->
  exists x, (x < n)%nat /\ largest n f = f x.
Proof.
  induction n; intros f Hn Hf; [lia|]; simpl; unfold Rmax; destruct (Rle_dec (largest n f) (f n)) as [|C].
  - exists n; split; [lia|reflexivity].
  - destruct n as [|n]; [exfalso; apply C; simpl; apply Hf; lia|].
    destruct (IHn f) as [x [Hx E]]; [lia|intros; apply Hf; lia|exists x; split; [lia|assumption]].
Qed.

(* How many of 0, ..., n - 1 belong to a set. *)
Fixpoint count (n : nat) (S : nat -> bool) : nat :=
  match n with O => O | Datatypes.S k => (count k S + if S k then 1 else 0)%nat end.

Lemma count_le : forall n (S : nat -> bool), (count n S <= n)%nat.
Proof. induction n; intros S; simpl; [lia|]; specialize (IHn S); destruct (S n); lia. Qed.

Lemma sum_count : forall n (S : nat -> bool) c, sum n (fun x => if S x then c else 0) = INR (count n S) * c.
Proof. induction n; intros S c; simpl; [ring|]; rewrite IHn, plus_INR; destruct (S n); simpl; ring. Qed.

(* A sum is the same in any order. *)
Lemma sum_reordered : forall n (there back : nat -> nat) f, (forall i, (i < n)%nat -> (there i < n)%nat /\ back (there i) = i) ->
  (forall i, (i < n)%nat -> (back i < n)%nat /\ there (back i) = i) -> sum n (fun i => f (there i)) = sum n f.
Proof.
  intros n there back f T B.
  rewrite (sum_ext n f (fun j => sum n (fun i => at_place (there i) (f (there i)) j))).
  - rewrite <- (sum_swap n n (fun i j => at_place (there i) (f (there i)) j)); apply sum_ext; intros i Hi.
    unfold at_place; rewrite sum_single; [reflexivity|apply T; assumption].
  - intros j Hj; destruct (B j Hj) as [Hb Eb].
    rewrite <- (sum_single n (back j) (f j) Hb) at 1; apply sum_ext; intros i Hi; unfold at_place.
    destruct (T i Hi) as [_ Et]; destruct (Nat.eqb_spec i (back j)) as [E|E], (Nat.eqb_spec j (there i)) as [F|F]; try reflexivity.
    + rewrite <- F; reflexivity.
    + exfalso; apply F; rewrite E, Eb; reflexivity.
    + exfalso; apply E; rewrite F, Et; reflexivity.
Qed.
