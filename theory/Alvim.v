(* Alvim and others (2011), Theorem 1, for every number u of individuals and v of values: what differential privacy leaves to
   min-entropy leakage, whatever the distribution of the databases. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds Convex.
Open Scope R_scope.

Lemma largest_attained : forall n f, (0 < n)%nat -> (forall x, (x < n)%nat -> 0 <= f x) ->
  exists x, (x < n)%nat /\ largest n f = f x.
Proof.
  induction n; intros f Hn Hf; [lia|]; simpl; unfold Rmax; destruct (Rle_dec (largest n f) (f n)) as [|C].
  - exists n; split; [lia|reflexivity].
  - destruct n as [|n]; [exfalso; apply C; simpl; apply Hf; lia|].
    destruct (IHn f) as [x [Hx E]]; [lia|intros; apply Hf; lia|exists x; split; [lia|assumption]].
Qed.

(* If the weights g^-d around every input add up to K at least, the leakage is at most log (n / K). *)
Lemma leakage_by_spheres : forall n m (d : nat -> nat -> nat) g K Q, (0 < n)%nat -> 0 < g -> 0 < K -> is_mechanism n m Q ->
  (forall x x' y, (x < n)%nat -> (x' < n)%nat -> (y < m)%nat -> Q x y <= g ^ d x x' * Q x' y) ->
  (forall x', (x' < n)%nat -> K <= sum n (fun x => / g ^ d x' x)) ->
  sum m (fun y => largest n (fun x => Q x y)) <= INR n / K.
Proof.
  intros n m d g K Q Hn Hg HK HQ HP HS.
  apply Rmult_le_reg_l with K; [assumption|].
  replace (K * (INR n / K)) with (INR n) by (field; lra).
  replace (INR n) with (sum m (fun y => sum n (fun x => Q x y))).
  2:{ rewrite <- sum_swap, (sum_ext _ _ (fun _ => 1)) by (intros; apply HQ; assumption); rewrite sum_const; lra. }
  rewrite <- sum_scale; apply sum_le; intros y Hy.
  destruct (largest_attained n (fun x => Q x y) Hn) as [x' [Hx' E]]; [intros; apply HQ; assumption|].
  rewrite E; apply Rle_trans with (sum n (fun x => / g ^ d x' x) * Q x' y).
  - apply Rmult_le_compat_r; [apply HQ; assumption|apply HS; assumption].
  - rewrite <- sum_scale_r; apply sum_le; intros x Hx.
    assert (G : 0 < g ^ d x' x) by (apply pow_lt; assumption).
    apply Rmult_le_reg_l with (g ^ d x' x); [assumption|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; apply HP; assumption.
Qed.

Lemma sum_split : forall n k f, sum (n + k) f = sum n f + sum k (fun i => f (n + i)%nat).
Proof.
  intros n; induction k; intros f; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r; simpl; rewrite IHk; lra.
Qed.

Lemma sum_digits : forall v n f, sum (n * v) f = sum n (fun a => sum v (fun b => f (a * v + b)%nat)).
Proof.
  intros v; induction n; intros f; [reflexivity|]; simpl.
  rewrite Nat.add_comm, sum_split, IHn; reflexivity.
Qed.

Lemma digit : forall v a b, (b < v)%nat -> ((a * v + b) mod v = b /\ (a * v + b) / v = a)%nat.
Proof.
  intros v a b Hb; assert (V : v <> 0%nat) by lia; rewrite (Nat.add_comm (a * v) b); split.
  - rewrite Nat.mod_add, Nat.mod_small by assumption; reflexivity.
  - rewrite Nat.div_add, Nat.div_small by assumption; reflexivity.
Qed.

Lemma rows_apart_digits : forall v u a b a' b', (b < v)%nat -> (b' < v)%nat ->
  rows_apart v (S u) (a * v + b) (a' * v + b') = ((if Nat.eqb b b' then 0 else 1) + rows_apart v u a a')%nat.
Proof.
  intros v u a b a' b' Hb Hb'; cbn [rows_apart].
  destruct (digit v a b Hb) as [-> ->]; destruct (digit v a' b' Hb') as [-> ->]; reflexivity.
Qed.

Lemma by_digits : forall v u x, (0 < v)%nat -> (x < v ^ S u)%nat ->
  exists a b, (a < v ^ u)%nat /\ (b < v)%nat /\ x = (a * v + b)%nat.
Proof.
  intros v u x Hv Hx; exists (x / v)%nat, (x mod v)%nat.
  assert (V : v <> 0%nat) by lia; split; [|split].
  - apply Nat.div_lt_upper_bound; [assumption|]; simpl in Hx; lia.
  - apply Nat.mod_upper_bound; assumption.
  - rewrite (Nat.div_mod x v) at 1 by assumption; lia.
Qed.

Lemma rows_apart_same : forall v u x, rows_apart v u x x = 0%nat.
Proof. intros v; induction u; intros x; simpl; [reflexivity|]; rewrite Nat.eqb_refl, IHu; reflexivity. Qed.

(* What neighbours promise each other, databases further apart promise in powers (group privacy). *)
Lemma group_privacy : forall v g u (f : nat -> R), (0 < v)%nat -> 0 < g ->
  (forall x x', (x < v ^ u)%nat -> (x' < v ^ u)%nat -> rows_apart v u x x' = 1%nat -> f x <= g * f x') ->
  forall x x', (x < v ^ u)%nat -> (x' < v ^ u)%nat -> f x <= g ^ rows_apart v u x x' * f x'.
Proof.
  intros v g; induction u; intros f Hv Hg H x x' Hx Hx'.
  - simpl in *; replace x with 0%nat by lia; replace x' with 0%nat by lia; lra.
  - destruct (by_digits v u x Hv Hx) as [a [b [Ha [Hb ->]]]]; destruct (by_digits v u x' Hv Hx') as [a' [b' [Ha' [Hb' ->]]]].
    assert (I : forall c d, (c < v ^ u)%nat -> (d < v)%nat -> (c * v + d < v ^ S u)%nat) by (intros; simpl; nia).
    rewrite rows_apart_digits by assumption.
    assert (R : f (a * v + b')%nat <= g ^ rows_apart v u a a' * f (a' * v + b')%nat).
    { apply (IHu (fun c => f (c * v + b')%nat)); try assumption.
      intros c c' Hc Hc' E; apply H; auto; rewrite rows_apart_digits, Nat.eqb_refl by assumption; exact E. }
    destruct (Nat.eqb_spec b b') as [->|Hne]; [exact R|].
    change (g ^ (1 + rows_apart v u a a')) with (g * g ^ rows_apart v u a a'); rewrite Rmult_assoc.
    apply Rle_trans with (g * f (a * v + b')%nat); [|apply Rmult_le_compat_l; lra].
    apply H; auto; rewrite rows_apart_digits, rows_apart_same by assumption.
    destruct (Nat.eqb_spec b b'); [contradiction|reflexivity].
Qed.

Lemma one_digit : forall v g b', 0 < g -> (b' < v)%nat ->
  sum v (fun b => / g ^ (if Nat.eqb b' b then 0 else 1)) = 1 + (INR v - 1) * / g.
Proof.
  intros v g b' Hg Hb'.
  rewrite (sum_ext _ _ (fun b => / g + at_place b' (1 - / g) b * 1)).
  - rewrite sum_plus, sum_const, (sum_at_place v b' (1 - / g) (fun _ => 1)) by assumption; ring.
  - intros b _; unfold at_place; rewrite (Nat.eqb_sym b' b); destruct (Nat.eqb b b'); simpl; [rewrite Rinv_1|rewrite Rmult_1_r]; ring.
Qed.

Lemma sphere_weights : forall v g u x', (0 < v)%nat -> 0 < g -> (x' < v ^ u)%nat ->
  sum (v ^ u) (fun x => / g ^ rows_apart v u x' x) = (1 + (INR v - 1) * / g) ^ u.
Proof.
  intros v g; induction u; intros x' Hv Hg Hx'; [simpl; rewrite Rinv_1; ring|].
  destruct (by_digits v u x' Hv Hx') as [a' [b' [Ha' [Hb' ->]]]].
  replace (v ^ S u)%nat with (v ^ u * v)%nat by (simpl; lia); rewrite sum_digits.
  rewrite (sum_ext _ _ (fun a => (1 + (INR v - 1) * / g) * / g ^ rows_apart v u a' a)).
  - rewrite sum_scale, IHu by assumption; reflexivity.
  - intros a Ha; rewrite <- (one_digit v g b') by assumption; rewrite <- sum_scale_r; apply sum_ext; intros b Hb.
    rewrite rows_apart_digits by assumption; rewrite pow_add, Rinv_mult; reflexivity.
Qed.

(* Neighbours differ in one individual. *)
Definition private_databases (v u m : nat) (Q : nat -> nat -> R) (eps : R) : Prop :=
  keeps_outputs (v ^ u) m (databases v u) 0 Q eps.

Theorem alvim_theorem_1 : forall v u m p Q eps, (0 < v)%nat -> is_law (v ^ u) p -> is_mechanism (v ^ u) m Q ->
  private_databases v u m Q eps ->
  guessing_leakage (v ^ u) m p Q <= INR u * ln (INR v * exp eps / (INR v - 1 + exp eps)).
Proof.
  intros v u m p Q eps Hv Hp HQ HP; set (g := exp eps); assert (G : 0 < g) by apply exp_pos.
  assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; lia).
  set (n := (v ^ u)%nat) in *.
  assert (Hn : (0 < n)%nat) by (unfold n; apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  set (k := 1 + (INR v - 1) * / g).
  assert (K : 0 < k).
  { unfold k; assert (0 <= (INR v - 1) * / g) by (apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; assumption]); lra. }
  assert (L : sum m (fun y => largest n (fun x => Q x y)) <= INR n / k ^ u).
  { apply (leakage_by_spheres n m (rows_apart v u) g); try assumption; [apply pow_lt; assumption| |].
    - intros x x' y Hx Hx' Hy; apply (group_privacy v g u (fun x => Q x y)); try assumption.
      intros a a' Ha Ha' E.
      assert (D : databases v u a a' = Some 1%Q) by (unfold databases; rewrite E; reflexivity).
      assert (T := HP a a' 1%Q y Ha Ha' Hy D); rewrite Q2R_1, Rmult_1_r in T; unfold g; lra.
    - intros x' Hx'; right; symmetry; apply sphere_weights; assumption. }
  assert (B : INR n / k ^ u = (INR v * exp eps / (INR v - 1 + exp eps)) ^ u).
  { unfold n; rewrite pow_INR; unfold Rdiv at 1; rewrite <- pow_inv, <- Rpow_mult_distr; f_equal.
    unfold k; fold g; field; repeat split; lra. }
  rewrite B in L; clear B.
  set (r := INR v * exp eps / (INR v - 1 + exp eps)) in *.
  assert (R : 0 < r) by (unfold r; fold g; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
  (* guessing: at most the largest probability times the sum of maxima *)
  assert (Pos : 0 < largest n p).
  { destruct (largest_nonneg n p) as [|E]; [assumption|exfalso].
    assert (sum n p <= sum n (fun _ => 0)) by (apply sum_le; intros; rewrite E; apply largest_ge; assumption).
    rewrite sum_const, Rmult_0_r, (proj2 Hp) in H; lra. }
  assert (U : sum m (fun y => largest n (fun x => p x * Q x y)) <= r ^ u * largest n p).
  { apply Rle_trans with (largest n p * sum m (fun y => largest n (fun x => Q x y))).
    - rewrite <- sum_scale; apply sum_le; intros y Hy; rewrite <- largest_scale by lra.
      apply largest_le; [apply largest_nonneg|]; intros x Hx.
      eapply Rle_trans; [|apply (largest_ge n (fun x => largest n p * Q x y) x Hx)].
      apply Rmult_le_compat_r; [apply HQ; assumption|apply largest_ge; assumption].
    - rewrite Rmult_comm; apply Rmult_le_compat_r; lra. }
  assert (W : 0 < sum m (fun y => largest n (fun x => p x * Q x y))).
  { assert (E : sum m (output n p Q) = 1).
    { unfold output; rewrite <- (sum_swap n m (fun x y => p x * Q x y)), <- (proj2 Hp); apply sum_ext; intros x Hx.
      rewrite sum_scale, (proj2 HQ x Hx); ring. }
    assert (T : sum m (output n p Q) <= sum m (fun y => INR n * largest n (fun x => p x * Q x y))).
    { apply sum_le; intros y Hy; unfold output; rewrite <- (sum_const n (largest n (fun x => p x * Q x y))).
      apply sum_le; intros x Hx; apply (largest_ge n (fun x => p x * Q x y)); assumption. }
    rewrite sum_scale, E in T; assert (0 <= INR n) by apply pos_INR.
    destruct (Rlt_le_dec 0 (sum m (fun y => largest n (fun x => p x * Q x y)))) as [|C]; [assumption|].
    assert (0 <= INR n * - sum m (fun y => largest n (fun x => p x * Q x y))) by (apply Rmult_le_pos; lra); lra. }
  unfold guessing_leakage; rewrite <- ln_pow by assumption.
  assert (F : sum m (fun y => largest n (fun x => p x * Q x y)) / largest n p <= r ^ u).
  { apply Rmult_le_reg_r with (largest n p); [assumption|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; exact U. }
  destruct F as [F|F]; [left; apply ln_increasing; [apply Rdiv_lt_0_compat; assumption|assumption]|right; f_equal; exact F].
Qed.
