(* Levels of loss that are numbers or logarithms, and rational bounds on them and on their exponentials. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms.
Open Scope R_scope.

Definition value (l : level) : R := match l with Number q => Q2R q | Log q => ln (Q2R q) | Infinite => 0 end.
Definition is_zero (l : level) : bool :=
  match l with Number q => qle q 0 | Log q => qlt 0 q && qle q 1 | Infinite => false end.
Definition is_nonneg (l : level) : bool := match l with Number q => qle 0 q | Log q => qle 1 q | Infinite => true end.
Definition is_finite (l : level) : bool := match l with Infinite => false | _ => true end.

Fixpoint qpow (a : Q) (n : nat) : Q := match n with O => 1%Q | S k => qmul a (qpow a k) end.

Lemma qpow_real : forall a n, Q2R (qpow a n) = Q2R a ^ n.
Proof. induction n; simpl; [apply Q2R_1|rewrite qmul_real, IHn; reflexivity]. Qed.

Lemma exp_pow : forall t n, exp t ^ n = exp (t * INR n).
Proof.
  intro t; induction n; [simpl; rewrite Rmult_0_r, exp_0; reflexivity|].
  rewrite S_INR; simpl pow; rewrite IHn, <- exp_plus; f_equal; ring.
Qed.

Lemma pow_le_reg : forall a b n, 0 <= a -> 0 < b -> (0 < n)%nat -> a ^ n <= b ^ n -> a <= b.
Proof.
  intros a b n Ha Hb Hn H; destruct (Rle_lt_dec a b) as [|C]; [assumption|].
  exfalso; assert (b ^ n < a ^ n); [|lra].
  clear H; induction n as [|[|n] IH]; [lia|simpl; lra|].
  assert (IH' : b ^ S n < a ^ S n) by (apply IH; lia).
  assert (0 < b ^ S n) by (apply pow_lt; assumption).
  change (b * b ^ S n < a * a ^ S n); apply Rmult_gt_0_lt_compat; lra.
Qed.

Definition whole (r : Q) : nat := Z.to_nat (Qnum r).
Definition parts (r : Q) : nat := Pos.to_nat (Qden r).

Lemma rate_parts : forall r, (0 <= Qnum r)%Z -> Q2R r * INR (parts r) = INR (whole r).
Proof.
  intros [a d] H; unfold whole, parts, Q2R; simpl in *.
  rewrite !INR_IZR_INZ, positive_nat_Z, Z2Nat.id by assumption; field; apply IZR_neq; discriminate.
Qed.

(* e^(level rate) <= g; a rate below zero turns powers round. *)
Definition growth_at_most (q : precision) (l : level) (rate g : Q) : bool :=
  match l with
  | Number e => exp_at_most q (qmul e rate) g
  | Log a => qlt 0 a && qlt 0 g &&
      if (0 <=? Qnum rate)%Z then qle (qpow a (whole rate)) (qpow g (parts rate))
      else qle 1 (qmul (qpow a (whole (Qopp rate))) (qpow g (parts rate)))
  | Infinite => false
  end.

(* g <= e^(level rate) *)
Definition growth_at_least (q : precision) (l : level) (rate g : Q) : bool :=
  match l with
  | Number e => exp_at_least q g (qmul e rate)
  | Log a => qlt 0 a && qle 0 g &&
      if (0 <=? Qnum rate)%Z then qle (qpow g (parts rate)) (qpow a (whole rate))
      else qle (qmul (qpow a (whole (Qopp rate))) (qpow g (parts rate))) 1
  | Infinite => false
  end.

(* What a table of such numbers says, once it is checked. *)
Definition growth_fits (l : level) (rate g : Q) : Prop := is_finite l = true /\ exp (value l * Q2R rate) <= Q2R g.

Lemma log_growth : forall a rate, 0 < Q2R a -> (0 <= Qnum rate)%Z ->
  exp (ln (Q2R a) * Q2R rate) ^ parts rate = Q2R a ^ whole rate.
Proof.
  intros a rate Ha Hr; rewrite exp_pow, Rmult_assoc, rate_parts by assumption.
  rewrite <- exp_pow, exp_ln by assumption; reflexivity.
Qed.

Lemma log_decay : forall a rate, 0 < Q2R a -> (Qnum rate < 0)%Z ->
  Q2R a ^ whole (Qopp rate) * exp (ln (Q2R a) * Q2R rate) ^ parts rate = 1.
Proof.
  intros a rate Ha Hr; assert (K := log_growth a (Qopp rate) Ha ltac:(simpl; lia)).
  rewrite <- K, Q2R_opp; change (parts (Qopp rate)) with (parts rate).
  rewrite <- Rpow_mult_distr, <- exp_plus.
  replace (ln (Q2R a) * - Q2R rate + ln (Q2R a) * Q2R rate) with 0 by ring; rewrite exp_0; apply pow1.
Qed.

Lemma growth_at_most_sound : forall q l rate g, growth_at_most q l rate g = true ->
  exp (value l * Q2R rate) <= Q2R g.
Proof.
  intros q [e|a|] rate g H; simpl in *; [|repeat (apply andb_prop in H as [H ?])|discriminate].
  - apply exp_at_most_sound in H; rewrite qmul_real in H; exact H.
  - apply qlt_pos in H, H1; apply (pow_le_reg _ _ (parts rate)); [left; apply exp_pos|assumption|apply Pos2Nat.is_pos|].
    destruct (Z.leb_spec 0 (Qnum rate)) as [S|S]; apply qle_real in H0.
    + rewrite !qpow_real in H0; rewrite log_growth; assumption.
    + rewrite qmul_real, !qpow_real, Q2R_1 in H0; assert (K := log_decay a rate H S).
      assert (P : 0 < Q2R a ^ whole (- rate)) by (apply pow_lt; assumption).
      apply Rmult_le_reg_l with (Q2R a ^ whole (- rate)); [assumption|]; rewrite K; exact H0.
Qed.

Lemma growth_at_least_sound : forall q l rate g, growth_at_least q l rate g = true ->
  Q2R g <= exp (value l * Q2R rate).
Proof.
  intros q [e|a|] rate g H; simpl in *; [|repeat (apply andb_prop in H as [H ?])|discriminate].
  - apply exp_at_least_sound in H; rewrite qmul_real in H; exact H.
  - apply qlt_pos in H; apply qle_pos in H1; apply (pow_le_reg _ _ (parts rate)); [assumption|apply exp_pos|apply Pos2Nat.is_pos|].
    destruct (Z.leb_spec 0 (Qnum rate)) as [S|S]; apply qle_real in H0.
    + rewrite !qpow_real in H0; rewrite log_growth; assumption.
    + rewrite qmul_real, !qpow_real, Q2R_1 in H0; assert (K := log_decay a rate H S).
      assert (P : 0 < Q2R a ^ whole (- rate)) by (apply pow_lt; assumption).
      apply Rmult_le_reg_l with (Q2R a ^ whole (- rate)); [assumption|]; rewrite K; exact H0.
Qed.

Definition find_rate (table : list (Q * Q)) (rate : Q) : option Q :=
  match find (fun e => Qeq_bool (fst e) rate) table with Some e => Some (snd e) | None => None end.

Lemma find_rate_sound : forall (test : Q * Q -> bool) table rate g, find_rate (filter test table) rate = Some g ->
  exists r, test (r, g) = true /\ Q2R r = Q2R rate.
Proof.
  intros test table rate g; unfold find_rate; destruct (find _ _) as [[r g']|] eqn:E; [|discriminate].
  intro H; injection H as <-; apply find_some in E as [E1 E2]; apply filter_In in E1 as [_ E1].
  exists r; split; [exact E1|]; apply Qeq_eqR, Qeq_bool_eq; exact E2.
Qed.

(* level <= u, and v <= level *)
Definition level_at_most (q : precision) (l : level) (u : Q) : bool :=
  match l with
  | Number e => qle e u
  | Log a => qlt 0 a && exp_at_least q a u
  | Infinite => false
  end.

Definition level_at_least (q : precision) (l : level) (v : Q) : bool :=
  match l with
  | Number e => qle v e
  | Log a => exp_at_most q v a
  | Infinite => false
  end.

Lemma ln_le_of : forall a u, 0 < a -> a <= exp u -> ln a <= u.
Proof.
  intros a u Ha [H|H]; [left|right].
  - rewrite <- (ln_exp u); apply ln_increasing; assumption.
  - rewrite H; apply ln_exp.
Qed.

Lemma le_ln_of : forall a v, exp v <= a -> v <= ln a.
Proof.
  intros a v H; rewrite <- (ln_exp v); destruct H as [H|H]; [left|right; rewrite H; reflexivity].
  apply ln_increasing; [apply exp_pos|assumption].
Qed.

Lemma le_exp_of_ln : forall a u, 0 < a -> ln a <= u -> a <= exp u.
Proof.
  intros a u Ha [H|H]; [left|right].
  - rewrite <- (exp_ln a) by assumption; apply exp_increasing; assumption.
  - rewrite <- H, exp_ln; auto.
Qed.

Lemma level_at_most_sound : forall q l u, level_at_most q l u = true -> value l <= Q2R u.
Proof.
  intros q [e|a|] u H; simpl in *; [apply qle_real; assumption| |discriminate].
  apply andb_prop in H as [H1 H2]; apply qlt_pos in H1; apply exp_at_least_sound in H2; apply ln_le_of; assumption.
Qed.

Lemma level_at_least_sound : forall q l v, level_at_least q l v = true -> Q2R v <= value l.
Proof.
  intros q [e|a|] v H; simpl in *; [apply qle_real; assumption| |discriminate].
  apply exp_at_most_sound in H; apply le_ln_of; assumption.
Qed.

Lemma exp_le : forall a b, a <= b -> exp a <= exp b.
Proof. intros a b [H| ->]; [left; apply exp_increasing; assumption|lra]. Qed.

Lemma is_zero_sound : forall l, is_zero l = true -> is_finite l = true /\ value l <= 0.
Proof.
  intros [q|q|] H; simpl in *; [|apply andb_prop in H as [H0 H]; apply qlt_pos in H0|discriminate]; apply qle_real in H.
  - rewrite Q2R_0 in H; auto.
  - rewrite Q2R_1 in H; split; [reflexivity|]; apply ln_le_of; [assumption|rewrite exp_0; assumption].
Qed.

Lemma is_nonneg_sound : forall l, is_nonneg l = true -> 0 <= value l.
Proof.
  intros [q|q|] H; simpl in *; [apply qle_pos; assumption| |lra].
  apply qle_real in H; rewrite Q2R_1 in H; rewrite <- ln_1; destruct H as [H|<-]; [left; apply ln_increasing; lra|lra].
Qed.
