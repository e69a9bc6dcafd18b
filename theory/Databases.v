(* Databases of some rows over v values: sums over their digits, distances, and what neighbours promise each other. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms.
Open Scope R_scope.

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

(* The weights g^-d around a database, each times its distance d. *)
Lemma sphere_distances : forall v g u y, (0 < v)%nat -> 0 < g -> (y < v ^ u)%nat ->
  let k := 1 + (INR v - 1) * / g in
  k * sum (v ^ u) (fun x => INR (rows_apart v u y x) * / g ^ rows_apart v u y x) = INR u * ((INR v - 1) * / g) * k ^ u.
Proof.
  intros v g u y Hv Hg Hy k; revert y Hy; induction u; intros y Hy; [simpl; ring|].
  destruct (by_digits v u y Hv Hy) as [a' [b' [Ha' [Hb' ->]]]].
  replace (v ^ S u)%nat with (v ^ u * v)%nat by (simpl; lia); rewrite sum_digits.
  rewrite (sum_ext _ _ (fun a => (INR v - 1) * / g * / g ^ rows_apart v u a' a
                                 + k * (INR (rows_apart v u a' a) * / g ^ rows_apart v u a' a))).
  - rewrite sum_plus, !sum_scale, sphere_weights by assumption; fold k.
    specialize (IHu a' Ha'); rewrite S_INR; cbn [pow].
    replace (k * ((INR v - 1) * / g * k ^ u + k * sum (v ^ u) (fun a => INR (rows_apart v u a' a) * / g ^ rows_apart v u a' a)))
      with (k * ((INR v - 1) * / g * k ^ u) + k * (k * sum (v ^ u) (fun a => INR (rows_apart v u a' a) * / g ^ rows_apart v u a' a)))
      by ring.
    rewrite IHu; ring.
  - intros a Ha; set (r := rows_apart v u a' a).
    rewrite (sum_ext _ _ (fun b => (/ g ^ (if Nat.eqb b' b then 0 else 1)) * (INR r * / g ^ r)
                                   + at_place b' (- / g) b * / g ^ r + / g * / g ^ r)).
    + rewrite !sum_plus, sum_scale_r, one_digit, sum_const by assumption.
      rewrite (sum_at_place v b' (- / g) (fun _ => / g ^ r)) by assumption; fold k; ring.
    + intros b Hb; rewrite rows_apart_digits by assumption; fold r; rewrite plus_INR, pow_add, Rinv_mult.
      unfold at_place; rewrite (Nat.eqb_sym b b'); destruct (Nat.eqb b' b); simpl; [rewrite Rinv_1|rewrite Rmult_1_r]; ring.
Qed.

Lemma rows_apart_sym : forall v u x y, rows_apart v u x y = rows_apart v u y x.
Proof. intros v; induction u; intros x y; simpl; [reflexivity|]; rewrite IHu, Nat.eqb_sym; reflexivity. Qed.

Lemma rows_apart_triangle : forall v u x y z, (rows_apart v u x z <= rows_apart v u x y + rows_apart v u y z)%nat.
Proof.
  intros v; induction u; intros x y z; simpl; [lia|]; specialize (IHu (x / v) (y / v) (z / v))%nat.
  destruct (Nat.eqb_spec (x mod v) (y mod v)), (Nat.eqb_spec (y mod v) (z mod v)), (Nat.eqb_spec (x mod v) (z mod v)); lia.
Qed.

(* A column whose neighbours promise each other a factor g lies far from any database. *)
Lemma one_row_far : forall v g w b', (b' < v)%nat -> 0 < g ->
  (forall b c, (b < v)%nat -> (c < v)%nat -> b <> c -> w b <= g * w c) ->
  (INR v - 1) * sum v w <= (INR v - 1 + g) * sum v (fun b => w b * (if Nat.eqb b b' then 0 else 1)).
Proof.
  intros v g w b' Hb Hg H.
  rewrite (sum_ext _ (fun b => w b * _) (fun b => if Nat.eqb b b' then 0 else w b))
    by (intros b _; destruct (Nat.eqb b b'); ring).
  assert (E := sum_but v b' w Hb); assert (C := sum_but v b' (fun _ => w b') Hb); rewrite sum_const in C.
  set (off := sum v (fun b => if Nat.eqb b b' then 0 else w b)) in *.
  assert (K : (INR v - 1) * w b' <= g * off).
  { replace ((INR v - 1) * w b') with (sum v (fun j => if Nat.eqb j b' then 0 else w b')) by lra.
    unfold off; rewrite <- sum_scale; apply sum_le; intros j Hj; destruct (Nat.eqb_spec j b'); [lra|].
    apply H; auto. }
  rewrite E; lra.
Qed.

Lemma rows_far : forall v g u f y, (0 < v)%nat -> 0 < g -> (y < v ^ u)%nat ->
  (forall x x', (x < v ^ u)%nat -> (x' < v ^ u)%nat -> rows_apart v u x x' = 1%nat -> f x <= g * f x') ->
  INR u * (INR v - 1) * sum (v ^ u) f <= (INR v - 1 + g) * sum (v ^ u) (fun x => f x * INR (rows_apart v u x y)).
Proof.
  intros v g; induction u; intros f y Hv Hg Hy H; [simpl; lra|].
  destruct (by_digits v u y Hv Hy) as [a' [b' [Ha' [Hb' ->]]]].
  assert (E : (v ^ S u = v ^ u * v)%nat) by (simpl; lia); rewrite E in *; rewrite !sum_digits.
  assert (In : forall a b, (a < v ^ u)%nat -> (b < v)%nat -> (a * v + b < v ^ u * v)%nat).
  { intros a b Ha Hb; apply Nat.lt_le_trans with (S a * v)%nat; [simpl; lia|apply Nat.mul_le_mono_r; lia]. }
  rewrite (sum_ext _ (fun a => sum v (fun b => f (a * v + b)%nat * INR _))
    (fun a => sum v (fun b => f (a * v + b)%nat * (if Nat.eqb b b' then 0 else 1))
              + sum v (fun b => f (a * v + b)%nat * INR (rows_apart v u a a')))).
  2:{ intros a Ha; rewrite <- sum_plus; apply sum_ext; intros b Hb.
      rewrite rows_apart_digits by assumption; rewrite plus_INR; destruct (Nat.eqb b b'); simpl; ring. }
  rewrite sum_plus, S_INR.
  assert (A : (INR v - 1) * sum (v ^ u) (fun a => sum v (fun b => f (a * v + b)%nat))
              <= (INR v - 1 + g) * sum (v ^ u) (fun a => sum v (fun b => f (a * v + b)%nat * (if Nat.eqb b b' then 0 else 1)))).
  { rewrite <- !sum_scale; apply sum_le; intros a Ha; apply one_row_far; try assumption.
    intros b c Hb Hc Hne; apply H; auto.
    rewrite rows_apart_digits, rows_apart_same by assumption; destruct (Nat.eqb_spec b c); [contradiction|reflexivity]. }
  assert (B : INR u * (INR v - 1) * sum v (fun b => sum (v ^ u) (fun a => f (a * v + b)%nat))
              <= (INR v - 1 + g) * sum v (fun b => sum (v ^ u) (fun a => f (a * v + b)%nat * INR (rows_apart v u a a')))).
  { rewrite <- !sum_scale; apply sum_le; intros b Hb; apply (IHu (fun a => f (a * v + b)%nat)); try assumption.
    intros x x' Hx Hx' D; apply H; auto; rewrite rows_apart_digits, Nat.eqb_refl by assumption; exact D. }
  rewrite (sum_swap v (v ^ u) (fun b a => f (a * v + b)%nat)),
    (sum_swap v (v ^ u) (fun b a => f (a * v + b)%nat * INR (rows_apart v u a a'))) in B.
  cbv beta in B; lra.
Qed.
