(* What divergences say without tangents: at loss zero rows are equal to what they are compared with, and at any loss they
   exclude the outputs that it excludes. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Powers Levels Bounds Convex.
Import ListNotations.
Open Scope R_scope.

(* Where the tangents touch: equality in Gibbs' and Young's inequalities. *)
Lemma entropy_equal : forall a b, 0 <= a -> 0 <= b -> (0 < a -> 0 < b) -> a * ln (a / b) <= a - b -> a = b.
Proof.
  intros a b [Ha|<-] Hb S H; [|lra]; specialize (S Ha); set (u := ln (b / a)).
  assert (E : exp u * a = b) by (unfold u; rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption); field; lra).
  assert (L : ln (a / b) = - u) by (unfold u, Rdiv; rewrite !ln_mult, !ln_Rinv by (auto using Rinv_0_lt_compat); ring).
  destruct (Req_dec u 0) as [U|U]; [rewrite U, exp_0 in E; lra|exfalso].
  assert (K := exp_ineq1 u U); apply Rmult_lt_compat_r with (r := a) in K; [|assumption]; rewrite L in H; lra.
Qed.

Lemma young_below_strict : forall a w, 0 < a < 1 -> w <> 0 -> exp (a * w) < a * exp w + (1 - a).
Proof.
  intros a w Ha W; set (c := a * w).
  assert (D : w - c <> 0).
  { intro C; assert (K : (1 - a) * w = 0) by (unfold c in C; lra); apply Rmult_integral in K as [K|K]; lra. }
  assert (H1 := exp_ineq1 (w - c) D); assert (H2 := exp_ineq1_le (- c)); assert (P : 0 < exp c) by apply exp_pos.
  apply Rmult_lt_compat_l with (r := exp c) in H1; [|lra].
  apply Rmult_le_compat_l with (r := exp c) in H2; [|lra].
  rewrite <- exp_plus in H1, H2; replace (c + (w - c)) with w in H1 by ring; rewrite Rplus_opp_r, exp_0 in H2.
  apply Rmult_lt_compat_l with (r := a) in H1; [|lra].
  apply Rmult_le_compat_l with (r := 1 - a) in H2; [|lra].
  assert (E : a * (exp c * (1 + (w - c))) + (1 - a) * (exp c * (1 + - c)) = exp c) by (unfold c at 2 4; unfold c; ring).
  lra.
Qed.

Lemma young_above_strict : forall a w, 1 < a -> w <> 0 -> a * exp w + (1 - a) < exp (a * w).
Proof.
  intros a w Ha W; assert (0 < / a) by (apply Rinv_0_lt_compat; lra).
  assert (/ a < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (D : a * w <> 0) by (intro C; apply Rmult_integral in C as [C|C]; lra).
  assert (K := young_below_strict (/ a) (a * w) ltac:(lra) D).
  replace (/ a * (a * w)) with w in K by (field; lra).
  apply Rmult_lt_compat_l with (r := a) in K; [|lra].
  replace (a * (/ a * exp (a * w) + (1 - / a))) with (exp (a * w) + (a - 1)) in K by (field; lra); lra.
Qed.

(* With sigma the sign of a - 1: sigma (t^a u^(1-a) - a t - (1-a) u) is never negative, and vanishes only where t = u. *)
Definition touches (a t u : R) : R := power t a * power u (1 - a) - (a * t + (1 - a) * u).

Lemma above_touches : forall a t u, 1 < a -> 0 <= t -> 0 <= u -> (0 < t -> 0 < u) -> 0 <= touches a t u.
Proof.
  intros a t u Ha Ht Hu S; assert (K := power_tangent_above a t u 0 Ha Ht Hu S).
  rewrite !Rmult_0_r, exp_0 in K; unfold touches; lra.
Qed.

Lemma below_touches : forall a t u, 0 < a < 1 -> 0 <= t -> 0 <= u -> touches a t u <= 0.
Proof.
  intros a t u Ha Ht Hu; assert (K := power_tangent_below a t u 0 Ha Ht Hu).
  rewrite !Rmult_0_r, exp_0 in K; unfold touches; lra.
Qed.

Lemma touching : forall a t u, 0 < a -> a <> 1 -> 0 <= t -> 0 <= u -> (1 < a -> 0 < t -> 0 < u) -> touches a t u = 0 -> t = u.
Proof.
  intros a t u A0 A1 [Ht|<-] [Hu|<-] S E; unfold touches in E; rewrite ?power_zero in E; try reflexivity.
  - rewrite power_at in E by assumption.
    assert (F : t = u * exp (ln (t / u))) by (rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption); field; lra).
    set (w := ln (t / u)) in *; destruct (Req_dec w 0) as [W|W]; [rewrite W, exp_0 in F; lra|exfalso].
    assert (G : u * (exp (a * w) - (a * exp w + (1 - a))) = 0) by (rewrite F in E; lra).
    apply Rmult_integral in G as [G|G]; [lra|].
    destruct (Rlt_le_dec 1 a) as [H|H]; [assert (K := young_above_strict a w H W)|assert (K := young_below_strict a w ltac:(lra) W)]; lra.
  - destruct (Rlt_le_dec 1 a) as [H|H]; [specialize (S H Ht); lra|].
    assert (0 < a * t) by (apply Rmult_lt_0_compat; assumption); lra.
  - assert (K : (1 - a) * u = 0) by lra; apply Rmult_integral in K as [K|K]; lra.
Qed.

Section Equal.
  Variables (n m : nat) (Q : nat -> nat -> R).
  Hypothesis HQ : is_mechanism n m Q.

  Lemma output_total : forall p, is_law n p -> sum m (output n p Q) = 1.
  Proof.
    intros p Hp; unfold output; rewrite <- (sum_swap n m (fun x y => p x * Q x y)), <- (proj2 Hp); apply sum_ext; intros x Hx.
    rewrite sum_scale, (proj2 HQ x Hx); ring.
  Qed.

  Lemma entropies_equal : forall p w x y, is_law n p -> (forall x, (x < n)%nat -> 0 <= w x) ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> 0 < w x -> 0 < Q x y -> 0 < output n p Q y) ->
    entropies n m p w Q <= 0 -> (x < n)%nat -> (y < m)%nat -> 0 < w x -> Q x y = output n p Q y.
  Proof.
    intros p w x y Hp Hw HA H Hx Hy Wx.
    set (f := fun y x => w x * (Q x y * ln (Q x y / output n p Q y) - (Q x y - output n p Q y))).
    assert (N : forall y x, (y < m)%nat -> (x < n)%nat -> 0 <= f y x).
    { intros y' x' Hy' Hx'; unfold f; destruct (Hw x' Hx') as [W|<-]; [|lra]; apply Rmult_le_pos; [lra|].
      assert (T := entropy_tangent (Q x' y') (output n p Q y') 0); rewrite exp_0 in T.
      enough ((1 + 0) * Q x' y' - 1 * output n p Q y' <= Q x' y' * ln (Q x' y' / output n p Q y')) by lra.
      apply T; [apply HQ; assumption|apply (output_nonneg n m); assumption|intro; apply (HA x' y'); assumption]. }
    assert (S : sum m (fun y => sum n (f y)) <= 0).
    { eapply Rle_trans; [|exact H]; unfold entropies, f.
      rewrite (sum_ext m _ (fun y => sum n (fun x => w x * (Q x y * ln (Q x y / output n p Q y)))
                                     - sum n (fun x => w x * (Q x y - output n p Q y))))
        by (intros; rewrite <- sum_minus; apply sum_ext; intros; ring).
      rewrite sum_minus.
      enough (E : sum m (fun y => sum n (fun x => w x * (Q x y - output n p Q y))) = 0) by lra.
      rewrite <- (sum_swap n m (fun x y => w x * (Q x y - output n p Q y))); apply sum_zero; intros x' Hx'.
      rewrite sum_scale, sum_minus, (proj2 HQ x' Hx'), output_total by assumption; ring. }
    assert (Z : sum m (fun y => sum n (f y)) = 0)
      by (apply Rle_antisym; [exact S|apply sum_nonneg; intros; apply sum_nonneg; intros; auto]).
    assert (Zy := sum_vanishes m _ (fun y Hy => sum_nonneg n (f y) (fun x Hx => N y x Hy Hx)) Z y Hy); cbv beta in Zy.
    assert (Zx := sum_vanishes n _ (fun x Hx => N y x Hy Hx) Zy x Hx); unfold f in Zx.
    apply Rmult_integral in Zx as [Zx|Zx]; [lra|].
    apply entropy_equal; [apply HQ; assumption|apply (output_nonneg n m); assumption|intro; apply (HA x y); assumption|lra].
  Qed.

  Lemma powers_equal : forall a x x' y, has_powers a = true -> (x < n)%nat -> (x' < n)%nat -> (y < m)%nat ->
    (above_one a = true -> forall y, (y < m)%nat -> 0 < Q x y -> 0 < Q x' y) ->
    bounded_by a (powers m (Q2R a) (Q x) (Q x')) 0 0 -> Q x y = Q x' y.
  Proof.
    intros a x x' y Ha Hx Hx' Hy HA B; unfold bounded_by in B; rewrite Rmult_0_l, ?Ropp_0, exp_0 in B.
    assert (T : sum m (fun y => touches (Q2R a) (Q x y) (Q x' y)) = powers m (Q2R a) (Q x) (Q x') - 1).
    { unfold touches, powers; rewrite sum_minus, sum_plus, !sum_scale, (proj2 HQ x Hx), (proj2 HQ x' Hx'); ring. }
    destruct (above_one_cases a Ha) as [[E [A _]]|[E [A _]]]; rewrite E in B.
    - assert (N : forall y, (y < m)%nat -> 0 <= touches (Q2R a) (Q x y) (Q x' y))
        by (intros; apply above_touches; [assumption|apply HQ; assumption|apply HQ; assumption|apply HA; assumption]).
      apply (touching (Q2R a)); [lra|lra|apply HQ; assumption|apply HQ; assumption|intros _; apply HA; assumption|].
      apply (sum_vanishes m _ N); [|assumption]; apply Rle_antisym; [rewrite T; lra|apply sum_nonneg; exact N].
    - assert (N : forall y, (y < m)%nat -> 0 <= - touches (Q2R a) (Q x y) (Q x' y)).
      { intros y' Hy'; assert (K := below_touches (Q2R a) (Q x y') (Q x' y') A (proj1 HQ x y' Hx Hy') (proj1 HQ x' y' Hx' Hy')); lra. }
      apply (touching (Q2R a)); [lra|lra|apply HQ; assumption|apply HQ; assumption|intros; lra|].
      enough (Z : - touches (Q2R a) (Q x y) (Q x' y) = 0) by lra.
      apply (sum_vanishes m (fun y => - touches (Q2R a) (Q x y) (Q x' y)) N); [|assumption].
      apply Rle_antisym; [|apply sum_nonneg; exact N].
      rewrite (sum_ext _ _ (fun y => -1 * touches (Q2R a) (Q x y) (Q x' y))) by (intros; ring); rewrite sum_scale, T; lra.
  Qed.

  (* A norm lies on the far side of the mean, and the norms sum to one as the means do. *)
  Lemma norms_equal : forall a p x y, has_powers a = true -> is_law n p -> (x < n)%nat -> (y < m)%nat -> 0 < p x ->
    bounded_by a (sum m (fun y => norm n (Q2R a) p (fun x => Q x y))) 0 0 -> Q x y = output n p Q y.
  Proof.
    intros a p x y Ha Hp Hx Hy Px B; unfold bounded_by in B; rewrite Rmult_0_l, ?Ropp_0, exp_0 in B.
    assert (A0 : 0 < Q2R a) by (apply andb_prop in Ha as [A0 _]; apply qlt_pos; assumption).
    set (N := fun y => norm n (Q2R a) p (fun x => Q x y)) in *.
    assert (QN : forall y x, (y < m)%nat -> (x < n)%nat -> 0 <= Q x y) by (intros; apply HQ; assumption).
    assert (One : sum n p = 1) by apply Hp.
    (* What the terms of an output leave above the tangents. *)
    assert (T : forall y, (y < m)%nat -> sum n (fun x => p x * touches (Q2R a) (Q x y) (N y)) = Q2R a * (N y - output n p Q y)).
    { intros y' Hy'; unfold touches.
      rewrite (sum_ext _ _ (fun x => p x * (power (Q x y') (Q2R a) * power (N y') (1 - Q2R a))
                 - (Q2R a * (p x * Q x y') + (1 - Q2R a) * N y' * p x))) by (intros; ring).
      rewrite sum_minus, sum_plus, !sum_scale, One; unfold N at 1.
      rewrite (norm_sum n (Q2R a) p (fun x => Q x y') (proj1 Hp) ltac:(lra)).
      change (sum n (fun i => p i * Q i y')) with (output n p Q y'); unfold N; ring. }
    assert (Live : forall y x, (y < m)%nat -> (x < n)%nat -> 0 < p x -> 0 < Q x y -> 0 < N y).
    { intros y' x' Hy' Hx' P' Z'; destruct (norm_nonneg n (Q2R a) p (fun x => Q x y')) as [|C]; [assumption|exfalso].
      assert (K := norm_zero n (Q2R a) p (fun x => Q x y') (proj1 Hp) (fun x Hx => QN y' x Hy' Hx) ltac:(lra) (eq_sym C) x' Hx').
      apply Rmult_integral in K as [K|K]; lra. }
    assert (O : sum m (fun y => N y - output n p Q y) = sum m N - 1) by (rewrite sum_minus, output_total by assumption; reflexivity).
    assert (D : N y = output n p Q y /\ p x * touches (Q2R a) (Q x y) (N y) = 0).
    { destruct (above_one_cases a Ha) as [[E [A _]]|[E [A _]]]; rewrite E in B.
      - assert (F : forall y x, (y < m)%nat -> (x < n)%nat -> 0 <= p x * touches (Q2R a) (Q x y) (N y)).
        { intros y' x' Hy' Hx'; destruct (proj1 Hp x' Hx') as [P'|<-]; [|lra]; apply Rmult_le_pos; [lra|].
          apply above_touches; [assumption|auto|apply norm_nonneg|apply Live; assumption]. }
        assert (G : forall y, (y < m)%nat -> 0 <= N y - output n p Q y).
        { intros y' Hy'; apply Rmult_le_reg_l with (Q2R a); [lra|]; rewrite Rmult_0_r, <- T by assumption.
          apply sum_nonneg; intros; apply F; assumption. }
        assert (Zy : N y - output n p Q y = 0).
        { apply (sum_vanishes m (fun y => N y - output n p Q y) G); [|assumption].
          apply Rle_antisym; [rewrite O; lra|apply sum_nonneg; exact G]. }
        split; [lra|]; apply (sum_vanishes n (fun x => p x * touches (Q2R a) (Q x y) (N y)) (fun x Hx => F y x Hy Hx)); [|assumption].
        rewrite T, Zy by assumption; ring.
      - assert (F : forall y x, (y < m)%nat -> (x < n)%nat -> 0 <= - (p x * touches (Q2R a) (Q x y) (N y))).
        { intros y' x' Hy' Hx'; assert (K := below_touches (Q2R a) (Q x' y') (N y') A (QN y' x' Hy' Hx') (norm_nonneg n (Q2R a) p _)).
          assert (0 <= p x' * - touches (Q2R a) (Q x' y') (N y')) by (apply Rmult_le_pos; [apply Hp; assumption|lra]); lra. }
        assert (R' : forall y, sum n (fun x => - (p x * touches (Q2R a) (Q x y) (N y))) = - sum n (fun x => p x * touches (Q2R a) (Q x y) (N y))).
        { intro y'; rewrite (sum_ext _ _ (fun x => -1 * (p x * touches (Q2R a) (Q x y') (N y')))) by (intros; ring); rewrite sum_scale; ring. }
        assert (G : forall y, (y < m)%nat -> 0 <= output n p Q y - N y).
        { intros y' Hy'; apply Rmult_le_reg_l with (Q2R a); [lra|]; rewrite Rmult_0_r.
          assert (K := sum_nonneg n _ (fun x Hx => F y' x Hy' Hx)); rewrite R', T in K by assumption; lra. }
        assert (Zy : output n p Q y - N y = 0).
        { apply (sum_vanishes m (fun y => output n p Q y - N y) G); [|assumption].
          apply Rle_antisym; [|apply sum_nonneg; exact G]; rewrite sum_minus, output_total by assumption; lra. }
        split; [lra|].
        enough (K : - (p x * touches (Q2R a) (Q x y) (N y)) = 0) by lra.
        apply (sum_vanishes n (fun x => - (p x * touches (Q2R a) (Q x y) (N y))) (fun x Hx => F y x Hy Hx)); [|assumption].
        rewrite R', T by assumption; replace (N y) with (output n p Q y) by lra; ring. }
    destruct D as [D1 D2]; rewrite <- D1; apply Rmult_integral in D2 as [D2|D2]; [lra|].
    apply (touching (Q2R a)); try assumption; [|auto|apply norm_nonneg|intros _; apply Live; assumption].
    apply andb_prop in Ha as [_ Ha]; apply negb_true_iff in Ha; intro C; rewrite <- Q2R_1 in C.
    apply eqR_Qeq, Qeq_bool_iff in C; rewrite C in Ha; discriminate.
  Qed.
End Equal.

(* The distribution that row x is compared with by the divergence of a name; and whether, at any loss, it excludes no
   output that the row does not. *)
Definition compared_of (P : problem) (points : list (list Q)) (base : list nat) (x : nat) : option (list Q * bool) :=
  if Nat.ltb x (inputs P) then
    match entropy_of P points base, rows_of P base, norms_of P points base with
    | Some (p, w, _), _, _ => if qlt 0 (w x) then Some (p, true) else None
    | None, Some (x', z, a, _), _ => if Nat.eqb x x' then Some (certain (inputs P) z, above_one a) else None
    | None, None, Some (p, _) => if qlt 0 (at_ p x) then Some (p, true) else None
    | None, None, None => None
    end
  else None.

(* The name of a ratio: of the divergence, the row, and 0 or 1 for what is on the left. *)
Definition equality_of (P : problem) (points : list (list Q)) (name : list nat) : option (ratio * bool) :=
  let of l r := {| left := l; right := r; rate := 0; slack := 0; grows := false; events := false |} in
  match rev name with
  | side :: x :: base =>
      match compared_of P points (rev base) x, side with
      | Some (p, excludes), O => Some (of (entry x 1) (at_ p), excludes)
      | Some (p, _), _ => Some (of (at_ p) (entry x 1), false)
      | None, _ => None
      end
  | _ => None
  end.

Lemma at_zero : forall a total eps rate, 0 <= rate -> eps <= 0 -> bounded_by a total eps rate -> bounded_by a total 0 0.
Proof.
  intros a total eps rate R0 E; unfold bounded_by.
  assert (K : eps * rate <= 0) by (assert (0 <= - eps * rate) by (apply Rmult_le_pos; lra); lra).
  replace (0 * 0) with 0 by ring; rewrite Ropp_0.
  assert (L1 : exp (eps * rate) <= exp 0) by (apply exp_le; assumption).
  assert (L2 : exp 0 <= exp (- (eps * rate))) by (apply exp_le; lra).
  destruct (above_one a); lra.
Qed.

Lemma compared_sound : forall P points base x p excludes Q eps, is_mechanism (inputs P) (outputs P) Q ->
  loss_at_most P Q eps -> points_allowed P points -> compared_of P points base x = Some (p, excludes) ->
  (x < inputs P)%nat /\ is_law (inputs P) (real p) /\
  (eps <= 0 -> forall y, (y < outputs P)%nat -> Q x y = output (inputs P) (real p) Q y) /\
  (excludes = true -> forall y, (y < outputs P)%nat -> output (inputs P) (real p) Q y = 0 -> Q x y = 0).
Proof.
  intros P points base x p excludes Q eps HQ HL HP; unfold compared_of; destruct (Nat.ltb_spec x (inputs P)) as [Hx|]; [|discriminate].
  assert (Z : forall q y, is_law (inputs P) q -> 0 < q x -> (y < outputs P)%nat -> output (inputs P) q Q y = 0 -> Q x y = 0).
  { intros q y Hq Pq Hy O; assert (K := output_zero _ _ q Q x y Hq HQ Hx Hy O); apply Rmult_integral in K as [K|K]; lra. }
  destruct (entropy_of P points base) as [[[q w] rate]|] eqn:Ee.
  - destruct (qlt 0 (w x)) eqn:W; [|discriminate]; apply qlt_pos in W; intro E; injection E as <- <-.
    destruct (entropy_sound P points base q w rate Q eps HQ HL HP Ee) as [B [W0 [HA [Hq R0]]]].
    split; [assumption|split; [assumption|split]].
    + intros Le y Hy; apply (entropies_equal (inputs P) (outputs P) Q HQ (real q) (fun x => Q2R (w x))); try assumption.
      eapply Rle_trans; [exact B|]; assert (0 <= - eps * Q2R rate) by (apply Rmult_le_pos; lra); lra.
    + intros _ y Hy O; destruct (proj1 HQ x y Hx Hy) as [Zp|]; [|auto]; assert (K := HA x y Hx Hy W Zp); lra.
  - destruct (rows_of P base) as [[[[x' z] a] d]|] eqn:Er.
    + destruct (Nat.eqb_spec x x') as [<-|]; [|discriminate]; intro E; injection E as <- <-.
      destruct (rows_sound P base x z a d Q eps HL Er) as [_ [Hz [Ha [D0 [HA B]]]]].
      assert (F : 0 <= Q2R (from_one a)) by (destruct (above_one_cases a Ha) as [[_ [A ->]]|[_ [A ->]]]; lra).
      split; [assumption|split; [apply certain_law; assumption|split]].
      * intros Le y Hy; rewrite certain_output by assumption.
        apply (powers_equal (inputs P) (outputs P) Q HQ a); try assumption.
        apply (at_zero a _ eps (Q2R (from_one a) * Q2R d)); [apply Rmult_le_pos; assumption|assumption|exact B].
      * intros A y Hy; rewrite certain_output by assumption; intro O.
        destruct (proj1 HQ x y Hx Hy) as [Zp|]; [|auto]; assert (K := HA A y Hy Zp); lra.
    + destruct (norms_of P points base) as [[q a]|] eqn:En; [|discriminate].
      destruct (qlt 0 (at_ q x)) eqn:W; [|discriminate]; apply qlt_pos in W; intro E; injection E as <- <-.
      destruct (norms_sound P points base q a Q eps HQ HL HP En) as [Ha [Hq B]].
      assert (A0 : 0 < Q2R a) by (assert (Ha' := Ha); apply andb_prop in Ha' as [A0 _]; apply qlt_pos; assumption).
      assert (F : 0 <= Q2R (from_one a) / Q2R a).
      { apply Rmult_le_pos; [destruct (above_one_cases a Ha) as [[_ [A ->]]|[_ [A ->]]]; lra|left; apply Rinv_0_lt_compat; assumption]. }
      split; [assumption|split; [assumption|split]].
      * intros Le y Hy; apply (norms_equal (inputs P) (outputs P) Q HQ a); try assumption.
        apply (at_zero a _ eps (Q2R (from_one a) / Q2R a)); assumption.
      * intros _ y Hy; apply Z; assumption.
Qed.

Lemma equality_sound : forall P points name r excludes Q eps, is_mechanism (inputs P) (outputs P) Q ->
  loss_at_most P Q eps -> points_allowed P points -> equality_of P points name = Some (r, excludes) ->
  (forall x, (x < inputs P)%nat -> 0 <= Q2R (right r x)) /\ rate r = 0%Q /\ slack r = 0%Q /\ grows r = false /\
  (eps <= 0 -> ratio_holds (inputs P) (outputs P) Q eps r) /\
  (excludes = true -> forall y, (y < outputs P)%nat -> form (inputs P) (right r) Q y = 0 -> form (inputs P) (left r) Q y = 0).
Proof.
  intros P points name r excludes Q eps HQ HL HP; unfold equality_of; destruct (rev name) as [|side [|x base]]; try discriminate.
  destruct (compared_of P points (rev base) x) as [[p ex]|] eqn:E; [|discriminate].
  destruct (compared_sound P points (rev base) x p ex Q eps HQ HL HP E) as [Hx [Hp [Z S]]].
  assert (F : forall y, form (inputs P) (entry x 1) Q y = Q x y) by (intro; rewrite form_entry, Q2R_1 by assumption; ring).
  assert (R0 : forall l r, (eps <= 0 -> forall y, (y < outputs P)%nat -> form (inputs P) l Q y = form (inputs P) r Q y) -> eps <= 0 ->
    ratio_holds (inputs P) (outputs P) Q eps {| left := l; right := r; rate := 0; slack := 0; grows := false; events := false |}).
  { intros l r0 H Le mult most _ _; cbn [left right rate slack grows events]; rewrite Q2R_0, Rmult_0_r, exp_0.
    rewrite sum_zero; [lra|]; intros y Hy; rewrite (H Le y Hy); ring. }
  destruct side; intro E'; injection E' as <- <-; cbn [left right rate slack grows];
    (split; [|split; [reflexivity|split; [reflexivity|split; [reflexivity|split]]]]).
  - intros; apply Hp; assumption.
  - apply R0; intros Le y Hy; rewrite F, form_own; auto.
  - intros Ex y Hy; rewrite F, form_own; auto.
  - intros; apply chosen_nonneg.
  - apply R0; intros Le y Hy; rewrite F, form_own; symmetry; auto.
  - discriminate.
Qed.
