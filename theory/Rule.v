(* The rule: Farkas' lemma with facial reduction (Borwein and Wolkowicz 1981).

   Let z(x,y) >= 0 be the entries of a mechanism that is claimed not to exist. A step names linear inequalities that they
   satisfy. If in their sum no entry has a negative coefficient, unless it is known to vanish, then 0 <= total. A total below
   zero, or of zero with a strict inequality in the sum, is a contradiction. At a total of zero further entries vanish. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers.
Import ListNotations.
Open Scope R_scope.

Definition pairing (n m : nat) (c z : nat -> nat -> R) : R := sum m (fun y => sum n (fun x => c x y * z x y)).

(* A multiple of an inequality: coefficients, right side, whether it is strict, and the entries that vanish if it is an
   equality; `active y` is false where it does not concern the output y. *)
Record use := { coef : nat -> nat -> Q; rhs : Q; strict : bool; gives : nat -> nat -> bool; active : nat -> bool }.

Definition holds (n m : nat) (z : nat -> nat -> R) (u : use) : Prop :=
  (exists gap, 0 <= gap /\ pairing n m (fun x y => Q2R (coef u x y)) z + gap <= Q2R (rhs u) /\
     (strict u = true -> 0 < gap) /\
     (gap = 0 -> forall x y, (x < n)%nat -> (y < m)%nat -> gives u x y = true -> z x y = 0)) /\
  (forall x y, active u y = false -> Q2R (coef u x y) = 0 /\ gives u x y = false).

Definition coefficient (us : list use) (x y : nat) : Q := fold_right (fun u total => qadd (coef u x y) total) 0%Q us.
Definition total (us : list use) : Q := fold_right (fun u rest => qadd (rhs u) rest) 0%Q us.

Lemma pairing_plus : forall n m a b z,
  pairing n m (fun x y => a x y + b x y) z = pairing n m a z + pairing n m b z.
Proof.
  intros; unfold pairing; rewrite <- sum_plus; apply sum_ext; intros.
  rewrite <- sum_plus; apply sum_ext; intros; ring.
Qed.

Lemma pairing_ext : forall n m a b z, (forall x y, (x < n)%nat -> (y < m)%nat -> a x y * z x y = b x y * z x y) ->
  pairing n m a z = pairing n m b z.
Proof. intros; unfold pairing; apply sum_ext; intros; apply sum_ext; intros; auto. Qed.

Lemma pairing_scale : forall n m c a z, pairing n m (fun x y => c * a x y) z = c * pairing n m a z.
Proof.
  intros; unfold pairing; rewrite <- sum_scale; apply sum_ext; intros.
  rewrite <- sum_scale; apply sum_ext; intros; ring.
Qed.

Lemma all_hold : forall n m z us, Forall (holds n m z) us ->
  exists gap, 0 <= gap /\ pairing n m (fun x y => Q2R (coefficient us x y)) z + gap <= Q2R (total us) /\
    (existsb strict us = true -> 0 < gap) /\
    (gap = 0 -> forall x y, (x < n)%nat -> (y < m)%nat -> existsb (fun u => gives u x y) us = true -> z x y = 0).
Proof.
  intros n m z; induction us as [|u us IH]; intros H.
  - exists 0; simpl; split; [lra|split; [|split; [discriminate|intros; discriminate]]].
    replace (pairing _ _ _ _) with 0; [rewrite Q2R_0; lra|].
    symmetry; unfold pairing; apply sum_zero; intros; apply sum_zero; intros; rewrite Q2R_0; ring.
  - inversion H as [|? ? [[g [G0 [G1 [G2 G3]]]] _] Hs]; subst.
    destruct (IH Hs) as [g' [G0' [G1' [G2' G3']]]].
    exists (g + g'); simpl; split; [|split; [|split]].
    + lra.
    + rewrite (pairing_ext _ _ _ (fun x y => Q2R (coef u x y) + Q2R (coefficient us x y)))
        by (intros; rewrite qadd_real; reflexivity).
      rewrite pairing_plus, qadd_real; lra.
    + intro S; apply orb_prop in S as [S|S]; [specialize (G2 S)|specialize (G2' S)]; lra.
    + intros E x y Hx Hy S; apply orb_prop in S as [S|S]; [apply G3|apply G3']; auto; lra.
Qed.

Lemma coefficient_filter : forall n m z us x y, Forall (holds n m z) us ->
  Q2R (coefficient (filter (fun u => active u y) us) x y) = Q2R (coefficient us x y).
Proof.
  intros n m z us x y H; induction H as [|u us [_ Hq] Hs IH]; [reflexivity|]; simpl.
  destruct (active u y) eqn:E; simpl; rewrite ?qadd_real, IH; [reflexivity|].
  destruct (Hq x y E) as [-> _]; lra.
Qed.

Lemma gives_filter : forall n m z us x y, Forall (holds n m z) us ->
  existsb (fun u => gives u x y) (filter (fun u => active u y) us) = true ->
  existsb (fun u => gives u x y) us = true.
Proof.
  intros n m z us x y _ H; apply existsb_exists in H as [u [Hin Hu]].
  apply filter_In in Hin as [Hin _]; apply existsb_exists; exists u; auto.
Qed.

(* What is known to vanish: for each output the inputs. *)
Definition known (V : list (list bool)) (x y : nat) : bool := nth x (nth y V []) false.

Inductive outcome := Contradiction | Vanishing (V : list (list bool)) | Nothing.

Definition judge (n m : nat) (V : list (list bool)) (us : list use) : outcome :=
  let columns := table m (fun y => let here := filter (fun u => active u y) us in table n (fun x => coefficient here x y)) in
  let sum_of_bounds := total us in
  if below m (fun y => below n (fun x => known V x y || qle 0 (at2 columns y x))) then
    if qlt sum_of_bounds 0 || (qle sum_of_bounds 0 && existsb strict us) then Contradiction
    else if qle sum_of_bounds 0 then
      Vanishing (table m (fun y => let here := filter (fun u => active u y) us in table n (fun x =>
        known V x y || qlt 0 (at2 columns y x) || existsb (fun u => gives u x y) here)))
    else Nothing
  else Nothing.

Theorem judge_sound : forall n m V us z,
  (forall x y, (x < n)%nat -> (y < m)%nat -> 0 <= z x y) ->
  (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) ->
  Forall (holds n m z) us ->
  match judge n m V us with
  | Contradiction => False
  | Vanishing V' => forall x y, (x < n)%nat -> (y < m)%nat -> known V' x y = true -> z x y = 0
  | Nothing => True
  end.
Proof.
  intros n m V us z Z0 ZV H; unfold judge.
  set (columns := table m _).
  assert (C : forall x y, (x < n)%nat -> (y < m)%nat -> Q2R (at2 columns y x) = Q2R (coefficient us x y)).
  { intros x y Hx Hy; unfold at2, columns; rewrite nth_table by assumption; rewrite nth_table by assumption.
    eapply coefficient_filter; eassumption. }
  destruct (below m _) eqn:B; [|exact I].
  assert (P : forall x y, (x < n)%nat -> (y < m)%nat -> 0 <= Q2R (coefficient us x y) * z x y).
  { intros x y Hx Hy; assert (T := below_true _ _ (below_true _ _ B y Hy) x Hx); cbv beta in T.
    apply orb_prop in T as [T|T]; [rewrite (ZV x y) by assumption; lra|].
    apply qle_pos in T; rewrite C in T by assumption; apply Rmult_le_pos; auto. }
  destruct (all_hold n m z us H) as [g [G0 [G1 [G2 G3]]]].
  set (S := pairing n m (fun x y => Q2R (coefficient us x y)) z) in *.
  assert (S0 : 0 <= S) by (unfold S, pairing; apply sum_nonneg; intros; apply sum_nonneg; intros; auto).
  destruct (qlt (total us) 0 || _) eqn:E.
  - apply orb_prop in E as [E|E].
    + apply qlt_real in E; rewrite Q2R_0 in E; lra.
    + apply andb_prop in E as [E1 E2]; apply qle_real in E1; rewrite Q2R_0 in E1; specialize (G2 E2); lra.
  - destruct (qle (total us) 0) eqn:E0; [|exact I].
    apply qle_real in E0; rewrite Q2R_0 in E0.
    assert (Sz : S = 0) by lra; assert (gz : g = 0) by lra.
    intros x y Hx Hy K; unfold known in K; rewrite nth_table in K by assumption; rewrite nth_table in K by assumption.
    apply orb_prop in K as [K|K]; [apply orb_prop in K as [K|K]|].
    + apply ZV; assumption.
    + apply qlt_pos in K; rewrite C in K by assumption.
      assert (F : sum n (fun x => Q2R (coefficient us x y) * z x y) = 0).
      { apply (sum_vanishes m (fun y => sum n (fun x => Q2R (coefficient us x y) * z x y))); auto.
        intros; apply sum_nonneg; auto. }
      assert (F' := sum_vanishes n _ (fun x' Hx' => P x' y Hx' Hy) F x Hx).
      apply Rmult_integral in F' as [F'|F']; lra.
    + apply G3; auto; eapply gives_filter; eassumption.
Qed.
