(* Real powers of numbers that are not negative, their tangents, and means of them (Young's and Hoelder's inequalities). *)

From Coq Require Import Reals Lra Lia Arith.
From Epstar Require Import Sums Mechanisms.
Open Scope R_scope.

Lemma power_nonneg : forall x a, 0 <= power x a.
Proof. intros; unfold power; destruct (Rlt_dec 0 x); [left; apply exp_pos|lra]. Qed.

Lemma power_pos : forall x a, 0 < x -> 0 < power x a.
Proof. intros x a H; unfold power; destruct (Rlt_dec 0 x); [apply exp_pos|contradiction]. Qed.

Lemma power_exp : forall x a, 0 < x -> power x a = exp (a * ln x).
Proof. intros x a H; unfold power; destruct (Rlt_dec 0 x); [reflexivity|contradiction]. Qed.

Lemma power_zero : forall a, power 0 a = 0.
Proof. intro a; unfold power; destruct (Rlt_dec 0 0); [lra|reflexivity]. Qed.

Lemma power_vanishes : forall x a, 0 <= x -> power x a = 0 -> x = 0.
Proof. intros x a [H|H] E; [assert (K := power_pos x a H); lra|auto]. Qed.

Lemma power_twice : forall x a, a <> 0 -> 0 <= x -> power (power x (/ a)) a = x.
Proof.
  intros x a Ha [H|<-]; [|rewrite !power_zero; reflexivity].
  rewrite (power_exp (power x (/ a))) by (apply power_pos; assumption); rewrite power_exp, ln_exp by assumption.
  replace (a * (/ a * ln x)) with (ln x) by (field; assumption); apply exp_ln; assumption.
Qed.

Lemma power_parts : forall x a, 0 <= x -> power x a * power x (1 - a) = x.
Proof.
  intros x a [H|<-]; [|rewrite power_zero; ring].
  rewrite !power_exp, <- exp_plus by assumption; replace (a * ln x + (1 - a) * ln x) with (ln x) by ring; apply exp_ln; assumption.
Qed.

(* Young's inequality: a weighted mean of exponentials is above the exponential of the mean. *)
Lemma young_below : forall a w, 0 < a < 1 -> exp (a * w) <= a * exp w + (1 - a).
Proof.
  intros a w Ha; set (c := a * w).
  assert (H1 := exp_ineq1_le (w - c)); assert (H2 := exp_ineq1_le (- c)); assert (P : 0 < exp c) by apply exp_pos.
  apply Rmult_le_compat_l with (r := exp c) in H1; [|lra].
  apply Rmult_le_compat_l with (r := exp c) in H2; [|lra].
  rewrite <- exp_plus in H1, H2; replace (c + (w - c)) with w in H1 by ring; rewrite Rplus_opp_r, exp_0 in H2.
  apply Rmult_le_compat_l with (r := a) in H1; [|lra].
  apply Rmult_le_compat_l with (r := 1 - a) in H2; [|lra].
  assert (E : a * (exp c * (1 + (w - c))) + (1 - a) * (exp c * (1 + - c)) = exp c) by (unfold c at 2 4; unfold c; ring).
  lra.
Qed.

Lemma young_above : forall a w, 1 < a -> a * exp w + (1 - a) <= exp (a * w).
Proof.
  intros a w Ha; assert (0 < / a) by (apply Rinv_0_lt_compat; lra).
  assert (/ a < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (K := young_below (/ a) (a * w) ltac:(lra)).
  replace (/ a * (a * w)) with w in K by (field; lra).
  apply Rmult_le_compat_l with (r := a) in K; [|lra].
  replace (a * (/ a * exp (a * w) + (1 - / a))) with (exp (a * w) + (a - 1)) in K by (field; lra); lra.
Qed.

(* Both sides of Young's inequality, at t / u = e^L and the place e^v. *)
Lemma power_at : forall a t u, 0 < t -> 0 < u -> power t a * power u (1 - a) = u * exp (a * ln (t / u)).
Proof.
  intros a t u Ht Hu; rewrite !power_exp by assumption.
  rewrite <- (exp_ln u Hu) at 2; rewrite <- !exp_plus; f_equal.
  unfold Rdiv; rewrite ln_mult, ln_Rinv by (try assumption; apply Rinv_0_lt_compat; assumption); ring.
Qed.

Lemma tangent_at : forall a t u v, 0 < t -> 0 < u ->
  a * exp ((a - 1) * v) * t + (1 - a) * exp (a * v) * u = u * exp (a * v) * (a * exp (ln (t / u) - v) + (1 - a)).
Proof.
  intros a t u v Ht Hu; assert (E : t = u * exp (ln (t / u))).
  { rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption); field; lra. }
  rewrite E at 1; set (L := ln (t / u)).
  replace ((a - 1) * v) with (a * v + - v) by ring; replace (L - v) with (- v + L) by ring; rewrite !exp_plus; ring.
Qed.

(* The power t^a u^(1-a) is above its tangent for a > 1, and below it for a < 1. *)
Lemma power_tangent_above : forall a t u v, 1 < a -> 0 <= t -> 0 <= u -> (0 < t -> 0 < u) ->
  a * exp ((a - 1) * v) * t + (1 - a) * exp (a * v) * u <= power t a * power u (1 - a).
Proof.
  intros a t u v Ha [Ht|<-] Hu S.
  - specialize (S Ht); rewrite tangent_at, power_at by assumption.
    assert (K := young_above a (ln (t / u) - v) Ha).
    rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|].
    replace (a * ln (t / u)) with (a * v + a * (ln (t / u) - v)) by ring; rewrite exp_plus.
    apply Rmult_le_compat_l; [left; apply exp_pos|exact K].
  - rewrite power_zero; assert (0 < exp (a * v)) by apply exp_pos.
    assert (0 <= (a - 1) * (exp (a * v) * u)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]); lra.
Qed.

Lemma power_tangent_below : forall a t u v, 0 < a < 1 -> 0 <= t -> 0 <= u ->
  power t a * power u (1 - a) <= a * exp ((a - 1) * v) * t + (1 - a) * exp (a * v) * u.
Proof.
  intros a t u v Ha Ht Hu.
  assert (0 < exp (a * v)) by apply exp_pos; assert (0 < exp ((a - 1) * v)) by apply exp_pos.
  assert (0 <= a * exp ((a - 1) * v)) by (apply Rmult_le_pos; lra).
  assert (0 <= (1 - a) * exp (a * v)) by (apply Rmult_le_pos; lra).
  assert (N : 0 <= a * exp ((a - 1) * v) * t + (1 - a) * exp (a * v) * u)
    by (apply Rplus_le_le_0_compat; apply Rmult_le_pos; assumption).
  destruct Ht as [Ht|<-]; [|rewrite power_zero, Rmult_0_l; exact N].
  destruct Hu as [Hu|<-]; [|rewrite power_zero, Rmult_0_r; exact N].
  rewrite tangent_at, power_at by assumption.
  assert (K := young_below a (ln (t / u) - v) Ha).
  rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|].
  replace (a * ln (t / u)) with (a * v + a * (ln (t / u) - v)) by ring; rewrite exp_plus.
  apply Rmult_le_compat_l; [left; apply exp_pos|exact K].
Qed.

(* A sum of powers against a law is least where all ratios are one: Jensen's inequality. *)
Lemma sum_tangent : forall m a v (t r : nat -> R),
  sum m (fun y => a * exp ((a - 1) * v) * t y + (1 - a) * exp (a * v) * r y)
    = a * exp ((a - 1) * v) * sum m t + (1 - a) * exp (a * v) * sum m r.
Proof. intros; rewrite sum_plus, !sum_scale; reflexivity. Qed.

Lemma tangent_of_sum : forall a s, 0 < s ->
  a * exp ((a - 1) * ln s) * s + (1 - a) * exp (a * ln s) * 1 = power s a.
Proof.
  intros a s Hs; rewrite power_exp by assumption.
  assert (E : exp ((a - 1) * ln s) * s = exp (a * ln s)).
  { rewrite <- (exp_ln s Hs) at 2; rewrite <- exp_plus; f_equal; ring. }
  rewrite Rmult_assoc, E; ring.
Qed.

Lemma powers_above : forall m a (t r : nat -> R), 1 < a -> (forall y, (y < m)%nat -> 0 <= t y) ->
  (forall y, (y < m)%nat -> 0 <= r y) -> sum m r = 1 -> (forall y, (y < m)%nat -> 0 < t y -> 0 < r y) ->
  power (sum m t) a <= sum m (fun y => power (t y) a * power (r y) (1 - a)).
Proof.
  intros m a t r Ha Ht Hr H1 S; destruct (sum_nonneg m t Ht) as [H|H].
  - assert (E := sum_tangent m a (ln (sum m t)) t r); rewrite H1, tangent_of_sum in E by assumption; rewrite <- E.
    apply sum_le; intros y Hy; apply power_tangent_above; auto.
  - rewrite <- H, power_zero; apply sum_nonneg; intros; apply Rmult_le_pos; apply power_nonneg.
Qed.

Lemma powers_below : forall m a (t r : nat -> R), 0 < a < 1 -> (forall y, (y < m)%nat -> 0 <= t y) ->
  (forall y, (y < m)%nat -> 0 <= r y) -> sum m r = 1 ->
  sum m (fun y => power (t y) a * power (r y) (1 - a)) <= power (sum m t) a.
Proof.
  intros m a t r Ha Ht Hr H1; destruct (sum_nonneg m t Ht) as [H|H].
  - assert (E := sum_tangent m a (ln (sum m t)) t r); rewrite H1, tangent_of_sum in E by assumption; rewrite <- E.
    apply sum_le; intros y Hy; apply power_tangent_below; auto.
  - rewrite <- H, power_zero; right; apply sum_zero; intros y Hy.
    rewrite (sum_vanishes m t Ht (eq_sym H) y Hy), power_zero; ring.
Qed.

(* A weighted norm, (sum of p q^a)^(1/a), and its tangents: Hoelder's inequality. *)
Definition norm (n : nat) (a : R) (p q : nat -> R) : R := power (sum n (fun x => p x * power (q x) a)) (/ a).

Section Norm.
  Variables (n : nat) (a : R) (p q : nat -> R).
  Hypothesis Hp : forall x, (x < n)%nat -> 0 <= p x.
  Hypothesis Hq : forall x, (x < n)%nat -> 0 <= q x.
  Hypothesis Ha : a <> 0.

  Lemma weighted_nonneg : forall x, (x < n)%nat -> 0 <= p x * power (q x) a.
  Proof. intros; apply Rmult_le_pos; [auto|apply power_nonneg]. Qed.

  Lemma norm_power : power (norm n a p q) a = sum n (fun x => p x * power (q x) a).
  Proof. apply power_twice; [assumption|]; apply sum_nonneg, weighted_nonneg. Qed.

  Lemma norm_nonneg : 0 <= norm n a p q.
  Proof. apply power_nonneg. Qed.

  Lemma norm_zero : norm n a p q = 0 -> forall x, (x < n)%nat -> p x * q x = 0.
  Proof.
    intros E x Hx; assert (K := norm_power); rewrite E, power_zero in K.
    assert (Z := sum_vanishes n _ weighted_nonneg (eq_sym K) x Hx); cbv beta in Z.
    apply Rmult_integral in Z as [Z|Z]; [rewrite Z; ring|].
    rewrite (power_vanishes _ _ (Hq x Hx) Z); ring.
  Qed.

  (* What each term p(x) q(x)^a N^(1-a) adds up to. *)
  Lemma norm_sum : sum n (fun x => p x * (power (q x) a * power (norm n a p q) (1 - a))) = norm n a p q.
  Proof.
    assert (K := power_parts (norm n a p q) a norm_nonneg); rewrite norm_power, <- sum_scale_r in K.
    eapply eq_trans; [|exact K]; apply sum_ext; intros; ring.
  Qed.

  Variables (f s : nat -> R).
  Hypothesis Hs : sum n (fun x => p x * s x) <= 1.

  Lemma tangent_sum : forall N, sum n (fun x => p x * (a * f x * q x + (1 - a) * s x * N))
    = a * sum n (fun x => p x * f x * q x) + (1 - a) * N * sum n (fun x => p x * s x).
  Proof. intro N; rewrite <- !sum_scale, <- sum_plus; apply sum_ext; intros; ring. Qed.

  Lemma norm_above : 1 < a ->
    (forall x u, (x < n)%nat -> 0 < u -> a * f x * q x + (1 - a) * s x * u <= power (q x) a * power u (1 - a)) ->
    sum n (fun x => p x * f x * q x) <= norm n a p q.
  Proof.
    intros H1 H; destruct norm_nonneg as [N|N].
    - assert (K : sum n (fun x => p x * (a * f x * q x + (1 - a) * s x * norm n a p q)) <= norm n a p q).
      { eapply Rle_trans; [|right; exact norm_sum]; apply sum_le; intros x Hx; apply Rmult_le_compat_l; auto. }
      rewrite tangent_sum in K.
      assert (B : 0 <= (a - 1) * norm n a p q * (1 - sum n (fun x => p x * s x)))
        by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
      apply Rmult_le_reg_l with a; lra.
    - rewrite <- N; right; apply sum_zero; intros x Hx.
      replace (p x * f x * q x) with (f x * (p x * q x)) by ring; rewrite norm_zero by auto; ring.
  Qed.

  Lemma norm_below : 0 < a < 1 -> (forall x, (x < n)%nat -> 0 <= f x) ->
    (forall x u, (x < n)%nat -> 0 < u -> power (q x) a * power u (1 - a) <= a * f x * q x + (1 - a) * s x * u) ->
    norm n a p q <= sum n (fun x => p x * f x * q x).
  Proof.
    intros H1 Hf H; destruct norm_nonneg as [N|N].
    - assert (K : norm n a p q <= sum n (fun x => p x * (a * f x * q x + (1 - a) * s x * norm n a p q))).
      { eapply Rle_trans; [right; exact (eq_sym norm_sum)|]; apply sum_le; intros x Hx; apply Rmult_le_compat_l; auto. }
      rewrite tangent_sum in K.
      assert (B : 0 <= (1 - a) * norm n a p q * (1 - sum n (fun x => p x * s x)))
        by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
      apply Rmult_le_reg_l with a; lra.
    - rewrite <- N; apply sum_nonneg; intros x Hx; apply Rmult_le_pos; [apply Rmult_le_pos|]; auto.
  Qed.
End Norm.
