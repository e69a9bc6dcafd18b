(* "The loss is at most eps" as a list of bounds on the columns of a mechanism: ratio bounds, maxima, entropies. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels.
Import ListNotations.
Open Scope R_scope.

(* left(q) <= e^(eps rate) right(q) + slack for each output, or with positive parts added up over the outputs (events). *)
Record ratio := { left : nat -> Q; right : nat -> Q; rate : Q; slack : Q; grows : bool; events : bool }.

Definition entry (i : nat) (c : Q) (x : nat) : Q := if Nat.eqb x i then c else 0%Q.

Definition ratio_of (P : problem) (points : list (list Q)) (name : list nat) : option ratio :=
  let n := inputs P in
  let within x := Nat.ltb x n in
  let own i := at_ (nth i points []) in
  match notion P, name with
  | differential_privacy, [x; z] =>
      match distance P x z with
      | Some d => if within x && within z then
          Some {| left := entry x 1; right := entry z 1; rate := d; slack := 0; grows := false; events := true |} else None
      | None => None
      end
  | approximate_differential_privacy delta, [x; z] =>
      match distance P x z with
      | Some d => if within x && within z then
          Some {| left := entry x 1; right := entry z 1; rate := d; slack := delta; grows := false; events := true |} else None
      | None => None
      end
  | pointwise_approximate_differential_privacy delta, [x; z] =>
      match distance P x z with
      | Some d => if within x && within z then
          Some {| left := entry x 1; right := entry z 1; rate := d; slack := delta; grows := false; events := false |} else None
      | None => None
      end
  | identifiability, [i; x; z] =>
      match distance P x z with
      | Some d => if within x && within z && Nat.ltb i (length points) then
          Some {| left := entry x (own i x); right := entry z (own i z); rate := d; slack := 0;
                  grows := false; events := false |} else None
      | None => None
      end
  | maximal_information, [i; x] =>
      if within x && Nat.ltb i (length points) then
        Some {| left := entry x 1; right := own i; rate := 1; slack := 0; grows := false; events := false |} else None
  | local_information_privacy delta, [i; x; O] =>
      if within x && Nat.ltb i (length points) then
        Some {| left := own i; right := entry x 1; rate := 1; slack := delta; grows := false; events := true |} else None
  | local_information_privacy delta, [i; x; 1%nat] =>
      if within x && Nat.ltb i (length points) then
        Some {| left := entry x 1; right := own i; rate := 1; slack := delta; grows := true; events := true |} else None
  | _, _ => None
  end.

Definition form (n : nat) (c : nat -> Q) (z : nat -> nat -> R) (y : nat) : R := sum n (fun x => Q2R (c x) * z x y).

Definition ratio_holds (n m : nat) (z : nat -> nat -> R) (eps : R) (r : ratio) : Prop :=
  forall (mult : nat -> R) (most : R), 0 <= most -> (forall y, (y < m)%nat -> 0 <= mult y <= most) ->
    sum m (fun y => mult y * (form n (left r) z y - exp (eps * Q2R (rate r)) * form n (right r) z y))
      <= (if events r then most else sum m mult) * (Q2R (slack r) * if grows r then exp eps else 1).

Lemma chance_minus : forall m f g c event,
  chance m (fun y => f y - c * g y) event = chance m f event - c * chance m g event.
Proof.
  intros; unfold chance; rewrite <- sum_scale, <- sum_minus; apply sum_ext; intros; destruct (event i); ring.
Qed.

Lemma chance_ext : forall m f g event, (forall y, (y < m)%nat -> f y = g y) -> chance m f event = chance m g event.
Proof. intros; unfold chance; apply sum_ext; intros; destruct (event i); auto. Qed.

Lemma events_use : forall m a s mult most, 0 <= most -> (forall y, (y < m)%nat -> 0 <= mult y <= most) ->
  (forall event, chance m a event <= s) -> sum m (fun y => mult y * a y) <= most * s.
Proof.
  intros m a s mult most H0 H E.
  set (event := fun y => if Rlt_dec 0 (a y) then true else false).
  apply Rle_trans with (most * chance m a event); [|apply Rmult_le_compat_l; auto].
  unfold chance; rewrite <- sum_scale; apply sum_le; intros y Hy.
  destruct (H y Hy); unfold event; destruct (Rlt_dec 0 (a y)); [apply Rmult_le_compat_r; lra|].
  assert (0 <= mult y * - a y) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma outputs_use : forall m a s mult, (forall y, (y < m)%nat -> 0 <= mult y) ->
  (forall y, (y < m)%nat -> a y <= s) -> sum m (fun y => mult y * a y) <= sum m mult * s.
Proof.
  intros; rewrite <- sum_scale_r; apply sum_le; intros; apply Rmult_le_compat_l; auto.
Qed.

Lemma form_entry : forall n i c z y, (i < n)%nat -> form n (entry i c) z y = Q2R c * z i y.
Proof.
  intros n i c z y Hi; unfold form; rewrite <- (sum_at_place n i (Q2R c) (fun x => z x y) Hi).
  apply sum_ext; intros x _; unfold entry, at_place; destruct (Nat.eqb x i); [reflexivity|rewrite Q2R_0; reflexivity].
Qed.

Lemma form_own : forall n p z y, form n (at_ p) z y = output n (real p) z y.
Proof. reflexivity. Qed.

Lemma output_nonneg : forall n m p Q y, is_law n p -> is_mechanism n m Q -> (y < m)%nat -> 0 <= output n p Q y.
Proof. intros n m p Q y [Hp _] [HQ _] Hy; apply sum_nonneg; intros; apply Rmult_le_pos; auto. Qed.

Lemma output_zero : forall n m p Q x y, is_law n p -> is_mechanism n m Q -> (x < n)%nat -> (y < m)%nat ->
  output n p Q y = 0 -> p x * Q x y = 0.
Proof.
  intros n m p Q x y [Hp _] [HQ _] Hx Hy E.
  apply (sum_vanishes n (fun x => p x * Q x y)); auto; intros; apply Rmult_le_pos; auto.
Qed.

Definition points_allowed (P : problem) (points : list (list Q)) : Prop :=
  forall i, (i < length points)%nat ->
    match notion P with
    | capacity | min_entropy_capacity => is_law (inputs P) (real (nth i points []))
    | _ => allows (inputs P) (source P) (real (nth i points []))
    end.

Ltac by_conditions :=
  repeat match goal with
  | H : (_ && _)%bool = true |- _ => apply andb_prop in H as [? ?]
  | H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H
  end.

Lemma ratio_sound : forall P points name r Q eps, is_mechanism (inputs P) (outputs P) Q -> loss_at_most P Q eps ->
  points_allowed P points -> ratio_of P points name = Some r -> ratio_holds (inputs P) (outputs P) Q eps r.
Proof.
  intros P points name r Q eps HQ HL HP; unfold ratio_of.
  set (n := inputs P) in *; set (m := outputs P) in *.
  unfold loss_at_most in HL; unfold points_allowed in HP; fold n m in HL, HP.
  destruct (notion P) as [|delta|delta| | |delta| | | | | | |order|order]; try discriminate.
  - (* differential privacy *)
    destruct name as [|x [|z [|]]]; try discriminate.
    destruct (distance P x z) as [d|] eqn:Ed; [|discriminate].
    destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
    intros mult most M0 Hm; cbn [left right rate slack grows events].
    rewrite Q2R_0; apply events_use; try assumption; intro event.
    rewrite (chance_ext _ _ (fun y => Q x y - exp (eps * Q2R d) * Q z y))
      by (intros; rewrite !form_entry, Q2R_1 by assumption; ring).
    rewrite chance_minus; assert (K := HL x z d event ltac:(assumption) ltac:(assumption) Ed).
    unfold chance in *; simpl in K |- *; lra.
  - (* approximate differential privacy over events *)
    destruct name as [|x [|z [|]]]; try discriminate.
    destruct (distance P x z) as [d|] eqn:Ed; [|discriminate].
    destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
    intros mult most M0 Hm; cbn [left right rate slack grows events].
    apply events_use; try assumption; intro event.
    rewrite (chance_ext _ _ (fun y => Q x y - exp (eps * Q2R d) * Q z y))
      by (intros; rewrite !form_entry, Q2R_1 by assumption; ring).
    rewrite chance_minus; assert (K := HL x z d event ltac:(assumption) ltac:(assumption) Ed).
    unfold chance in *; simpl in K |- *; lra.
  - (* approximate differential privacy by outputs *)
    destruct name as [|x [|z [|]]]; try discriminate.
    destruct (distance P x z) as [d|] eqn:Ed; [|discriminate].
    destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
    intros mult most M0 Hm; cbn [left right rate slack grows events].
    apply outputs_use; [intros y Hy; apply (Hm y Hy)|]; intros y Hy.
    rewrite !form_entry, Q2R_1 by assumption.
    assert (K := HL x z d y ltac:(assumption) ltac:(assumption) Hy Ed); lra.
  - (* identifiability *)
    destruct name as [|i [|x [|z [|]]]]; try discriminate.
    destruct (distance P x z) as [d|] eqn:Ed; [|discriminate].
    destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
    intros mult most M0 Hm; cbn [left right rate slack grows events].
    rewrite Q2R_0; apply outputs_use; [intros y Hy; apply (Hm y Hy)|]; intros y Hy.
    rewrite !form_entry by assumption.
    set (p := real (nth i points [])); change (Q2R (at_ (nth i points []) x)) with (p x).
    change (Q2R (at_ (nth i points []) z)) with (p z).
    assert (Hp : allows n (source P) p) by (apply HP; assumption).
    assert (O := output_nonneg n m p Q y (proj1 Hp) HQ Hy).
    destruct O as [O|O].
    + assert (K := HL p Hp x z d y ltac:(assumption) ltac:(assumption) Hy Ed O).
      apply Rmult_le_compat_r with (r := output n p Q y) in K; [|lra].
      replace (p x * Q x y / output n p Q y * output n p Q y) with (p x * Q x y) in K by (field; lra).
      replace (exp (eps * Q2R d) * (p z * Q z y / output n p Q y) * output n p Q y)
        with (exp (eps * Q2R d) * (p z * Q z y)) in K by (field; lra).
      lra.
    + rewrite (output_zero n m p Q x y (proj1 Hp) HQ), (output_zero n m p Q z y (proj1 Hp) HQ) by (assumption || auto); lra.
  - (* maximal information *)
    destruct name as [|i [|x [|]]]; try discriminate.
    destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
    intros mult most M0 Hm; cbn [left right rate slack grows events].
    rewrite Q2R_0; apply outputs_use; [intros y Hy; apply (Hm y Hy)|]; intros y Hy.
    rewrite form_entry, form_own, !Q2R_1 by assumption.
    set (p := real (nth i points [])).
    assert (Hp : allows n (source P) p) by (apply HP; assumption).
    assert (O := output_nonneg n m p Q y (proj1 Hp) HQ Hy).
    assert (Z : 0 <= Q x y) by (apply HQ; assumption).
    rewrite Rmult_1_r, Rmult_1_l, Rmult_0_l.
    assert (E0 : 0 < exp eps) by apply exp_pos.
    destruct Z as [Z|Z]; [|rewrite <- Z; assert (0 <= exp eps * output n p Q y) by (apply Rmult_le_pos; lra); lra].
    destruct (HL p Hp x y ltac:(assumption) Hy Z) as [O' K].
    apply le_exp_of_ln in K; [|apply Rdiv_lt_0_compat; assumption].
    apply Rmult_le_compat_r with (r := output n p Q y) in K; [|lra].
    replace (Q x y / output n p Q y * output n p Q y) with (Q x y) in K by (field; lra); lra.
  - (* local information privacy *)
    destruct name as [|i [|x [|[|[|]] [|]]]]; try discriminate.
    + destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
      intros mult most M0 Hm; cbn [left right rate slack grows events].
      apply events_use; try assumption; intro event.
      set (p := real (nth i points [])).
      rewrite (chance_ext _ _ (fun y => output n p Q y - exp eps * Q x y))
        by (intros; rewrite form_entry, form_own, !Q2R_1 by assumption; unfold p; rewrite Rmult_1_r; ring).
      assert (Hp : allows n (source P) p) by (apply HP; assumption).
      destruct (HL p Hp x event ltac:(assumption)) as [_ K].
      rewrite chance_minus; unfold chance in *; simpl in K |- *; lra.
    + destruct (_ && _) eqn:W; [|discriminate]; intro E; injection E as <-; by_conditions.
      intros mult most M0 Hm; cbn [left right rate slack grows events].
      apply events_use; try assumption; intro event.
      set (p := real (nth i points [])).
      rewrite (chance_ext _ _ (fun y => Q x y - exp eps * output n p Q y))
        by (intros; rewrite form_entry, form_own, !Q2R_1 by assumption; unfold p; rewrite Rmult_1_r; ring).
      assert (Hp : allows n (source P) p) by (apply HP; assumption).
      destruct (HL p Hp x event ltac:(assumption)) as [K _].
      rewrite chance_minus.
      change (fun y => Q x y) with (Q x); change (fun y => output n p Q y) with (output n p Q).
      apply Rmult_le_compat_l with (r := exp eps) in K; [|apply Rlt_le, exp_pos].
      replace (exp eps * (exp (- eps) * chance m (Q x) event - Q2R delta))
        with (exp eps * exp (- eps) * chance m (Q x) event - exp eps * Q2R delta) in K by ring.
      rewrite exp_pos_neg in K; lra.
Qed.

Lemma ratio_right_nonneg : forall P points name r, points_allowed P points -> ratio_of P points name = Some r ->
  forall x, (x < inputs P)%nat -> 0 <= Q2R (right r x).
Proof.
  intros P points name r HP; unfold ratio_of; unfold points_allowed in HP.
  assert (E1 : forall i x, 0 <= Q2R (entry i 1 x))
    by (intros; unfold entry; destruct (Nat.eqb x i); rewrite ?Q2R_1, ?Q2R_0; lra).
  destruct (notion P) as [|delta|delta| | |delta| | | | | | |order|order]; try discriminate.
  1-3: destruct name as [|x [|z [|]]]; try discriminate; destruct (distance P x z); try discriminate;
    destruct (_ && _); try discriminate; intro E; injection E as <-; intros; apply E1.
  - destruct name as [|i [|x [|z [|]]]]; try discriminate; destruct (distance P x z); try discriminate.
    destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <-; by_conditions; cbn.
    intros x' Hx'; unfold entry; destruct (Nat.eqb_spec x' z); rewrite ?Q2R_0; try lra; subst.
    destruct (HP i ltac:(assumption)) as [[K _] _]; apply K; assumption.
  - destruct name as [|i [|x [|]]]; try discriminate.
    destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <-; by_conditions; cbn.
    intros x' Hx'; destruct (HP i ltac:(assumption)) as [[K _] _]; apply K; assumption.
  - destruct name as [|i [|x [|[|[|]] [|]]]]; try discriminate;
    destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <-; by_conditions; cbn; [intros; apply E1|].
    intros x' Hx'; destruct (HP i ltac:(assumption)) as [[K _] _]; apply K; assumption.
Qed.
