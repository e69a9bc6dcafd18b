(* Multiples of sums of powers and of norms (Renyi, Sibson), with tangents in place of each. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Powers Levels Bounds Convex Rule Uses.
Import ListNotations.
Open Scope R_scope.

(* For each output and input a place r, as its logarithm, with one number beside r^(a-1) and one above r^a; None where the
   tangent is zero. *)
Definition tangents := list (list (option (level * Q * Q))).
Definition tangent_of (t : tangents) (x y : nat) : option (level * Q * Q) := nth x (nth y t []) None.
Definition first_of (t : tangents) (x y : nat) : Q := match tangent_of t x y with Some (_, f, _) => f | None => 0%Q end.
Definition second_of (t : tangents) (x y : nat) : Q := match tangent_of t x y with Some (_, _, s) => s | None => 0%Q end.

Definition numbers_ok (q : precision) (a : Q) (at_most_zero : bool) (e : option (level * Q * Q)) : bool :=
  match e with
  | Some (l, f, s) =>
      is_finite l && growth_at_most q l a s &&
      if above_one a then growth_at_least q l (qadd a (Qopp 1)) f else growth_at_most q l (qadd a (Qopp 1)) f
  | None => above_one a || at_most_zero
  end.

(* The sign of a - 1, and what a total is compared with. *)
Definition signed (a s : Q) : Q := if above_one a then s else Qopp s.

Lemma tangent_holds : forall q a zero t x y p u, has_powers a = true -> numbers_ok q a zero (tangent_of t x y) = true ->
  0 <= p -> 0 <= u -> (above_one a = true -> 0 < p -> 0 < u) -> (zero = true -> p = 0 \/ u = 0) ->
  Q2R (signed a 1) * (Q2R a * Q2R (first_of t x y) * p + (1 - Q2R a) * Q2R (second_of t x y) * u)
    <= Q2R (signed a 1) * (power p (Q2R a) * power u (1 - Q2R a)).
Proof.
  intros q a zero t x y p u Ha H Hp Hu S Z; unfold numbers_ok, first_of, second_of, signed in *.
  destruct (tangent_of t x y) as [[[l f] s]|].
  - apply andb_prop in H as [H H3]; apply andb_prop in H as [_ H2]; apply growth_at_most_sound in H2.
    destruct (above_one_cases a Ha) as [[E [A _]]|[E [A _]]]; rewrite E in *.
    + apply growth_at_least_sound in H3; rewrite qadd_real, Q2R_opp, Q2R_1 in H3; rewrite Q2R_1, !Rmult_1_l.
      eapply Rle_trans; [|apply (power_tangent_above (Q2R a) p u (value l)); auto].
      apply Rplus_le_compat.
      * apply Rmult_le_compat_r; [assumption|]; apply Rmult_le_compat_l; [lra|].
        rewrite (Rmult_comm (Q2R a - 1)); exact H3.
      * apply Rmult_le_compat_r; [assumption|]; rewrite (Rmult_comm (Q2R a) (value l)).
        assert (0 <= (Q2R a - 1) * (Q2R s - exp (value l * Q2R a))) by (apply Rmult_le_pos; lra); lra.
    + apply growth_at_most_sound in H3; rewrite qadd_real, Q2R_opp, Q2R_1 in H3; rewrite Q2R_opp, Q2R_1.
      enough (power p (Q2R a) * power u (1 - Q2R a) <= Q2R a * Q2R f * p + (1 - Q2R a) * Q2R s * u) by lra.
      eapply Rle_trans; [apply (power_tangent_below (Q2R a) p u (value l)); auto|].
      apply Rplus_le_compat; apply Rmult_le_compat_r; try assumption; apply Rmult_le_compat_l; try lra.
      * rewrite (Rmult_comm (Q2R a - 1)); exact H3.
      * rewrite (Rmult_comm (Q2R a)); exact H2.
  - rewrite Q2R_0, !Rmult_0_r, !Rmult_0_l, Rplus_0_r, Rmult_0_r; destruct (above_one a).
    + rewrite Q2R_1, Rmult_1_l; apply Rmult_le_pos; apply power_nonneg.
    + rewrite Q2R_opp, Q2R_1; destruct (Z H) as [->| ->]; rewrite power_zero; lra.
Qed.

Lemma first_nonneg : forall q a zero t x y, has_powers a = true -> numbers_ok q a zero (tangent_of t x y) = true ->
  above_one a = false -> 0 <= Q2R (first_of t x y).
Proof.
  intros q a zero t x y Ha H E; unfold numbers_ok, first_of in *; destruct (tangent_of t x y) as [[[l f] s]|]; [|rewrite Q2R_0; lra].
  rewrite E in H; apply andb_prop in H as [_ H]; apply growth_at_most_sound in H.
  eapply Rle_trans; [left; apply exp_pos|exact H].
Qed.

Section PowerUses.
  Variables (P : problem) (l : level) (open_loss : bool) (q : precision).
  Let n := inputs P.
  Let m := outputs P.
  Variables (z : nat -> nat -> R) (eps : R) (points : list (list Q)).
  Hypothesis Hz : is_mechanism n m z.
  Hypothesis Hloss : loss_at_most P z eps.
  Hypothesis Hpoints : points_allowed P points.
  Hypothesis Hlevel : if open_loss then below_level l eps else is_finite l = true /\ eps = value l.

  (* A number b and whether the bound is strict: sigma total <= sigma e^(eps sigma rate) <= sigma b. *)
  Definition charged (good : list (Q * Q)) (a rate : Q) : option (Q * bool) :=
    if qle 0 rate then
      if is_finite l then
        match find_rate good rate with
        | Some g => Some (if above_one a then g else Qinv g, open_loss && qlt 0 rate)
        | None => None
        end
      else if above_one a then None else Some (0%Q, true)
    else None.

  Lemma charged_sound : forall good a rate b st total,
    (forall rate g, find_rate good rate = Some g -> growth_fits l rate g) -> charged good a rate = Some (b, st) ->
    bounded_by a total eps (Q2R rate) ->
    Q2R (signed a 1) * total <= Q2R (signed a 1) * Q2R b /\ (st = true -> Q2R (signed a 1) * total < Q2R (signed a 1) * Q2R b).
  Proof.
    intros good a rate b st total HG; unfold charged, bounded_by, signed.
    destruct (qle 0 rate) eqn:R0; [|discriminate]; apply qle_pos in R0.
    case_eq (is_finite l); intro F.
    - destruct (find_rate good rate) as [g|] eqn:Eg; [|discriminate]; apply HG in Eg; intro E; injection E as <- <-.
      assert (L := growth_le l open_loss eps Hlevel rate g Eg R0).
      assert (T : open_loss && qlt 0 rate = true -> exp (eps * Q2R rate) < Q2R g).
      { intro S; apply andb_prop in S as [S1 S2]; apply qlt_pos in S2; apply (growth_lt l open_loss eps Hlevel rate g Eg S2 S1). }
      destruct (above_one a); [rewrite Q2R_1; intro B; split; [|intro S; specialize (T S)]; lra|].
      assert (G0 : 0 < Q2R g) by (eapply Rlt_le_trans; [apply exp_pos|exact L]).
      rewrite Q2R_opp, Q2R_1, Q2R_inv by (intro C; apply Qeq_eqR in C; rewrite Q2R_0 in C; lra).
      rewrite exp_Ropp; intro B; split.
      + assert (/ Q2R g <= / exp (eps * Q2R rate)) by (apply Rinv_le_contravar; [apply exp_pos|assumption]); lra.
      + intro S; specialize (T S).
        assert (/ Q2R g < / exp (eps * Q2R rate)) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; [apply exp_pos|assumption]|assumption]); lra.
    - destruct (above_one a); [discriminate|]; intro E; injection E as <- <-; intro B.
      assert (0 < exp (- (eps * Q2R rate))) by apply exp_pos; rewrite Q2R_opp, Q2R_1, Q2R_0; split; intros; lra.
  Qed.

  Lemma signed_scaled : forall a s, Q2R (signed a s) = Q2R s * Q2R (signed a 1).
  Proof. intros a s; unfold signed; destruct (above_one a); rewrite ?Q2R_opp, Q2R_1; ring. Qed.

  (* What is left to show of a use: its form lies below the total. *)
  Lemma use_of_total : forall a s b st total c, 0 < Q2R s ->
    Q2R (signed a 1) * total <= Q2R (signed a 1) * Q2R b -> (st = true -> Q2R (signed a 1) * total < Q2R (signed a 1) * Q2R b) ->
    pairing n m (fun x y => Q2R (c x y)) z <= Q2R s * (Q2R (signed a 1) * total) ->
    holds n m z {| coef := c; rhs := qmul (signed a s) b; strict := st; gives := fun _ _ => false; active := fun _ => true |}.
  Proof.
    intros a s b st total c Hs H1 H2 H3; split; [|discriminate].
    exists (Q2R s * (Q2R (signed a 1) * Q2R b - Q2R (signed a 1) * total)).
    split; [apply Rmult_le_pos; lra|split; [|split; [|intros; discriminate]]].
    - cbn [rhs]; rewrite qmul_real, (signed_scaled a s); change (fun x y => Q2R (coef _ x y)) with (fun x y => Q2R (c x y)).
      eapply Rle_trans; [apply Rplus_le_compat_r; exact H3|]; right; ring.
    - intro S; specialize (H2 S); apply Rmult_lt_0_compat; lra.
  Qed.

  (* Powers of two rows. *)
  Definition rows_power_use (x x' : nat) (a s b : Q) (st : bool) (t : tangents) : use :=
    {| coef := fun k y => qmul (signed a s) (qadd (entry x (qmul a (first_of t 0 y)) k)
                                                  (entry x' (qmul (qadd 1 (Qopp a)) (second_of t 0 y)) k));
       rhs := qmul (signed a s) b; strict := st; gives := fun _ _ => false; active := fun _ => true |}.

  Definition rows_tangents_ok (V : list (list bool)) (x x' : nat) (a : Q) (t : tangents) : bool :=
    below m (fun y => numbers_ok q a (known V x y || known V x' y) (tangent_of t 0 y)).

  Lemma rows_power_use_holds : forall V name x x' a d s b st t good,
    (forall rate g, find_rate good rate = Some g -> growth_fits l rate g) ->
    rows_of P name = Some (x, x', a, d) -> qlt 0 s = true -> rows_tangents_ok V x x' a t = true ->
    charged good a (qmul (from_one a) d) = Some (b, st) ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) ->
    holds n m z (rows_power_use x x' a s b st t).
  Proof.
    intros V name x x' a d s b st t good HG Hr Hs Ht Hb HV; apply qlt_pos in Hs.
    destruct (rows_sound P name x x' a d z eps Hloss Hr) as [Hx [Hx' [Ha [D0 [HA HB]]]]]; fold n m in Hx, Hx', HA, HB.
    rewrite <- qmul_real in HB; destruct (charged_sound good a _ b st _ HG Hb HB) as [K1 K2].
    apply (use_of_total a s b st _ _ Hs K1 K2); rewrite <- Rmult_assoc.
    unfold pairing, powers; rewrite <- sum_scale; apply sum_le; intros y Hy.
    rewrite (sum_ext _ _ (fun k => Q2R (signed a s) * (Q2R (entry x (qmul a (first_of t 0 y)) k) * z k y)
        + Q2R (signed a s) * (Q2R (entry x' (qmul (qadd 1 (Qopp a)) (second_of t 0 y)) k) * z k y)))
      by (intros; rewrite qmul_real, qadd_real; ring).
    rewrite sum_plus, !sum_scale.
    change (sum n (fun k => Q2R (entry x (qmul a (first_of t 0 y)) k) * z k y)) with (form n (entry x (qmul a (first_of t 0 y))) z y).
    change (sum n (fun k => Q2R (entry x' (qmul (qadd 1 (Qopp a)) (second_of t 0 y)) k) * z k y))
      with (form n (entry x' (qmul (qadd 1 (Qopp a)) (second_of t 0 y))) z y).
    rewrite !form_entry, !qmul_real, qadd_real, Q2R_opp, Q2R_1, (signed_scaled a s) by assumption.
    assert (T : Q2R (signed a 1) * (Q2R a * Q2R (first_of t 0 y) * z x y + (1 - Q2R a) * Q2R (second_of t 0 y) * z x' y)
                <= Q2R (signed a 1) * (power (z x y) (Q2R a) * power (z x' y) (1 - Q2R a))).
    { apply (tangent_holds q a _ t 0 y (z x y) (z x' y) Ha (below_true _ _ Ht y Hy)); try (apply Hz; assumption).
      - intros A; apply HA; assumption.
      - intro K; apply orb_prop in K as [K|K]; [left|right]; apply HV; assumption. }
    apply Rmult_le_compat_l with (r := Q2R s) in T; [|lra]; lra.
  Qed.

  (* Norms of columns. *)
  Definition norms_use (p : list Q) (a s b : Q) (st : bool) (t : tangents) : use :=
    {| coef := fun x y => qmul (signed a s) (qmul (at_ p x) (first_of t x y));
       rhs := qmul (signed a s) b; strict := st; gives := fun _ _ => false; active := fun _ => true |}.

  Definition norms_tangents_ok (V : list (list bool)) (p : list Q) (a : Q) (t : tangents) : bool :=
    below m (fun y => below n (fun x => qle (at_ p x) 0 || numbers_ok q a (known V x y) (tangent_of t x y))
                      && qle (qsum n (fun x => qmul (at_ p x) (second_of t x y))) 1).

  Lemma norms_use_holds : forall V name p a s b st t good,
    (forall rate g, find_rate good rate = Some g -> growth_fits l rate g) ->
    norms_of P points name = Some (p, a) -> qlt 0 s = true -> norms_tangents_ok V p a t = true ->
    charged good a (qmul (from_one a) (Qinv a)) = Some (b, st) ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) ->
    holds n m z (norms_use p a s b st t).
  Proof.
    intros V name p a s b st t good HG Hr Hs Ht Hb HV; apply qlt_pos in Hs.
    destruct (norms_sound P points name p a z eps Hz Hloss Hpoints Hr) as [Ha [Hp HB]]; fold n m in Hp, HB.
    assert (A0 : 0 < Q2R a) by (apply andb_prop in Ha as [A0 _]; apply qlt_pos; assumption).
    assert (RE : Q2R (qmul (from_one a) (Qinv a)) = Q2R (from_one a) / Q2R a).
    { rewrite qmul_real, Q2R_inv; [reflexivity|intro C; apply Qeq_eqR in C; rewrite Q2R_0 in C; lra]. }
    rewrite <- RE in HB; destruct (charged_sound good a _ b st _ HG Hb HB) as [K1 K2].
    apply (use_of_total a s b st _ _ Hs K1 K2); rewrite <- Rmult_assoc.
    unfold pairing; rewrite <- sum_scale; apply sum_le; intros y Hy.
    assert (T := below_true _ _ Ht y Hy); cbv beta in T; apply andb_prop in T as [T1 T2].
    apply qle_real in T2; rewrite qsum_real, Q2R_1 in T2.
    rewrite (sum_ext _ (fun i => Q2R (qmul (at_ p i) (second_of t i y))) (fun x => real p x * Q2R (second_of t x y))) in T2
      by (intros; rewrite qmul_real; reflexivity).
    rewrite (sum_ext _ _ (fun x => Q2R (signed a s) * (real p x * Q2R (first_of t x y) * z x y)))
      by (intros; rewrite !qmul_real; unfold real; ring).
    rewrite sum_scale, (signed_scaled a s), !Rmult_assoc; apply Rmult_le_compat_l; [lra|].
    (* Inputs of probability zero count for nothing, whatever stands at their places. *)
    set (p' := real p); set (live := fun x => if Rlt_dec 0 (p' x) then true else false).
    set (f := fun x => if live x then Q2R (first_of t x y) else 0).
    set (s' := fun x => if live x then Q2R (second_of t x y) else 0).
    assert (Off : forall x, (x < n)%nat -> live x = false -> p' x = 0).
    { intros x Hx; unfold live; destruct (Rlt_dec 0 (p' x)) as [|C]; [discriminate|intros _].
      assert (0 <= p' x) by (apply Hp; assumption); lra. }
    assert (EF : sum n (fun x => p' x * Q2R (first_of t x y) * z x y) = sum n (fun x => p' x * f x * z x y)).
    { apply sum_ext; intros x Hx; unfold f; destruct (live x) eqn:E; [reflexivity|rewrite (Off x Hx E); ring]. }
    assert (ES : sum n (fun x => p' x * s' x) <= 1).
    { eapply Rle_trans; [|exact T2]; right; apply sum_ext; intros x Hx; unfold s'; destruct (live x) eqn:E; [reflexivity|].
      unfold p' in *; rewrite (Off x Hx E); ring. }
    assert (TN : forall x u, (x < n)%nat -> 0 < u -> live x = true ->
      Q2R (signed a 1) * (Q2R a * Q2R (first_of t x y) * z x y + (1 - Q2R a) * Q2R (second_of t x y) * u)
        <= Q2R (signed a 1) * (power (z x y) (Q2R a) * power u (1 - Q2R a))).
    { intros x u Hx Hu E; assert (C := below_true _ _ T1 x Hx); cbv beta in C.
      apply orb_prop in C as [C|C].
      - exfalso; apply qle_real in C; rewrite Q2R_0 in C; unfold live in E; destruct (Rlt_dec 0 (p' x)) as [L|]; [|discriminate].
        unfold p', real in L; lra.
      - apply (tangent_holds q a _ t x y (z x y) u Ha C); [apply Hz; assumption|lra|auto|].
        intro K; left; apply HV; assumption. }
    assert (PN : forall x, (x < n)%nat -> 0 <= p' x) by (intros; apply Hp; assumption).
    assert (ZN : forall x, (x < n)%nat -> 0 <= z x y) by (intros; apply Hz; assumption).
    rewrite EF; destruct (above_one_cases a Ha) as [[E [A _]]|[E [A _]]]; unfold signed in *; rewrite E in *.
    - rewrite Q2R_1, !Rmult_1_l; apply (norm_above n (Q2R a) p' (fun x => z x y) PN ZN ltac:(lra) f s' ES A).
      intros x u Hx Hu; unfold f, s'; destruct (live x) eqn:Ex.
      + assert (K := TN x u Hx Hu Ex); rewrite Q2R_1 in K; lra.
      + rewrite !Rmult_0_r, !Rmult_0_l, Rplus_0_r; apply Rmult_le_pos; apply power_nonneg.
    - rewrite Q2R_opp, Q2R_1.
      (* An input that counts for nothing has some tangent. *)
      set (f2 := fun x => if live x then Q2R (first_of t x y) else 1).
      set (s2 := fun x => if live x then Q2R (second_of t x y) else 1).
      assert (EF2 : sum n (fun x => p' x * f x * z x y) = sum n (fun x => p' x * f2 x * z x y)).
      { apply sum_ext; intros x Hx; unfold f, f2; destruct (live x) eqn:Ex; [reflexivity|rewrite (Off x Hx Ex); ring]. }
      assert (ES2 : sum n (fun x => p' x * s2 x) <= 1).
      { eapply Rle_trans; [|exact ES]; right; apply sum_ext; intros x Hx; unfold s2, s'; destruct (live x) eqn:Ex; [reflexivity|].
        rewrite (Off x Hx Ex); ring. }
      rewrite EF2.
      enough (norm n (Q2R a) p' (fun x => z x y) <= sum n (fun x => p' x * f2 x * z x y)) by lra.
      apply (norm_below n (Q2R a) p' (fun x => z x y) PN ZN ltac:(lra) f2 s2 ES2 A).
      + intros x Hx; unfold f2; destruct (live x) eqn:Ex; [|lra].
        assert (C := below_true _ _ T1 x Hx); cbv beta in C; apply orb_prop in C as [C|C].
        * exfalso; apply qle_real in C; rewrite Q2R_0 in C; unfold live in Ex; destruct (Rlt_dec 0 (p' x)) as [L|]; [|discriminate].
          unfold p', real in L; lra.
        * eapply first_nonneg; [exact Ha|exact C|exact E].
      + intros x u Hx Hu; unfold f2, s2; destruct (live x) eqn:Ex.
        * assert (K := TN x u Hx Hu Ex); rewrite Q2R_opp, Q2R_1 in K; lra.
        * assert (K := power_tangent_below (Q2R a) (z x y) u 0 A (ZN x Hx) ltac:(lra)); rewrite !Rmult_0_r, exp_0 in K; lra.
  Qed.
End PowerUses.
