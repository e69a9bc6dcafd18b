(* Sum bounds: what maxima and entropies of the columns add up to, if the loss is at most eps. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds.
Import ListNotations.
Open Scope R_scope.

(* Sum over y of max over x of weights(x) q_y(x) <= e^eps. *)
Definition maximum_of (P : problem) (points : list (list Q)) (name : list nat) : option (nat -> Q) :=
  match notion P, name with
  | maximal_leakage, [] | min_entropy_capacity, [] => Some (fun _ => 1%Q)
  | min_entropy_leakage, [i] =>
      if Nat.ltb i (length points) then
        let p := nth i points [] in
        let most := Qinv (qlargest (inputs P) (at_ p)) in
        if qlt 0 (qlargest (inputs P) (at_ p)) then Some (fun x => qmul (at_ p x) most) else None
      else None
  | _, _ => None
  end.

Lemma le_exp_of_ln_nonneg : forall a u, ln a <= u -> a <= exp u.
Proof.
  intros a u H; destruct (Rlt_le_dec 0 a) as [Ha|Ha]; [apply le_exp_of_ln; assumption|].
  assert (0 < exp u) by apply exp_pos; lra.
Qed.

Lemma largest_const : forall n c, 0 <= c -> (0 < n)%nat -> largest n (fun _ => c) = c.
Proof.
  intros n c Hc Hn; apply Rle_antisym; [apply largest_le; [assumption|intros; lra]|].
  apply (largest_ge n (fun _ => c) 0); assumption.
Qed.

Lemma uniform_law : forall n, (0 < n)%nat -> is_law n (fun _ => / INR n).
Proof.
  intros n Hn; assert (0 < INR n) by (apply lt_0_INR; assumption); split.
  - intros; apply Rlt_le, Rinv_0_lt_compat; assumption.
  - rewrite sum_const; field; lra.
Qed.

Lemma guessing_capacity : forall n m Q, (0 < n)%nat ->
  guessing_leakage n m (fun _ => / INR n) Q = leakage n m Q.
Proof.
  intros n m Q Hn; unfold guessing_leakage, leakage; f_equal.
  assert (0 < INR n) by (apply lt_0_INR; assumption).
  assert (0 < / INR n) by (apply Rinv_0_lt_compat; assumption).
  rewrite largest_const by (assumption || lra).
  rewrite (sum_ext _ _ (fun y => / INR n * largest n (fun x => Q x y))) by (intros; apply largest_scale; lra).
  rewrite sum_scale; field; lra.
Qed.

Lemma maximum_sound : forall P points name w Q eps, loss_at_most P Q eps -> points_allowed P points ->
  maximum_of P points name = Some w ->
  sum (outputs P) (fun y => largest (inputs P) (fun x => Q2R (w x) * Q x y)) <= exp eps.
Proof.
  intros P points name w Q eps HL HP; unfold maximum_of; unfold loss_at_most in HL; unfold points_allowed in HP.
  set (n := inputs P) in *; set (m := outputs P) in *.
  assert (One : sum m (fun y => largest n (fun x => Q2R 1 * Q x y)) = sum m (fun y => largest n (fun x => Q x y))).
  { apply sum_ext; intros; apply largest_ext; intros; rewrite Q2R_1; ring. }
  destruct (notion P); try discriminate.
  - destruct name; try discriminate; intro E; injection E as <-; rewrite One.
    apply le_exp_of_ln_nonneg; exact HL.
  - destruct name as [|i [|]]; try discriminate.
    destruct (Nat.ltb_spec i (length points)) as [Hi|]; try discriminate.
    destruct (qlt 0 _) eqn:Hm; try discriminate; intro E; injection E as <-.
    specialize (HL _ (HP i Hi)).
    set (p := real (nth i points [])) in *.
    apply qlt_pos in Hm.
    assert (I : Q2R (/ qlargest n (at_ (nth i points []))) = / largest n p).
    { rewrite Q2R_inv, qlargest_real; [reflexivity|].
      intro C; apply Qeq_eqR in C; rewrite Q2R_0 in C; lra. }
    rewrite qlargest_real in Hm; fold (real (nth i points [])) in Hm; change (0 < largest n p) in Hm.
    rewrite (sum_ext _ _ (fun y => / largest n p * largest n (fun x => p x * Q x y))).
    + rewrite sum_scale; unfold guessing_leakage in HL; apply le_exp_of_ln_nonneg in HL.
      unfold Rdiv in HL; lra.
    + intros y _; rewrite <- largest_scale by (apply Rlt_le, Rinv_0_lt_compat; assumption).
      apply largest_ext; intros; rewrite qmul_real, I; unfold p, real; ring.
  - destruct name; try discriminate; intro E; injection E as <-; rewrite One.
    destruct (Nat.eq_dec n 0) as [E0|E0].
    + rewrite E0; rewrite sum_zero by reflexivity; apply Rlt_le, exp_pos.
    + apply le_exp_of_ln_nonneg; change (leakage n m Q <= eps).
      rewrite <- guessing_capacity by lia; apply HL, uniform_law; lia.
Qed.

(* Sum over y and x of weights(x) q_y(x) log (q_y(x) / own(q_y)) <= eps, with own the probability of y under a law. *)
Definition entropy_of (P : problem) (points : list (list Q)) (name : list nat) : option (list Q * (nat -> Q)) :=
  match notion P, name with
  | mutual_information, [i] | capacity, [i] =>
      if Nat.ltb i (length points) then let p := nth i points [] in Some (p, at_ p) else None
  | pointwise_leakage, [i; x] =>
      if Nat.ltb i (length points) && Nat.ltb x (inputs P) then Some (nth i points [], entry x 1) else None
  | _, _ => None
  end.

Definition entropies (n m : nat) (p : nat -> R) (w : nat -> R) (Q : nat -> nat -> R) : R :=
  sum m (fun y => sum n (fun x => w x * (Q x y * ln (Q x y / output n p Q y)))).

Lemma information_entropies : forall n m p Q, information n m p Q = entropies n m p p Q.
Proof.
  intros; unfold information, entropies, divergence.
  rewrite <- (sum_swap n m (fun x y => p x * (Q x y * ln (Q x y / output n p Q y)))).
  apply sum_ext; intros; rewrite sum_scale; reflexivity.
Qed.

Lemma entropy_sound : forall P points name p w Q eps, is_mechanism (inputs P) (outputs P) Q -> loss_at_most P Q eps ->
  points_allowed P points -> entropy_of P points name = Some (p, w) ->
  entropies (inputs P) (outputs P) (real p) (fun x => Q2R (w x)) Q <= eps /\
  (forall x, (x < inputs P)%nat -> 0 <= Q2R (w x)) /\
  (forall x y, (x < inputs P)%nat -> (y < outputs P)%nat -> 0 < Q2R (w x) -> 0 < Q x y ->
     0 < output (inputs P) (real p) Q y) /\
  is_law (inputs P) (real p).
Proof.
  intros P points name p w Q eps HQ HL HP; unfold entropy_of; unfold loss_at_most in HL; unfold points_allowed in HP.
  set (n := inputs P) in *; set (m := outputs P) in *.
  assert (A : forall p x y, is_law n p -> (x < n)%nat -> (y < m)%nat -> 0 < p x -> 0 < Q x y -> 0 < output n p Q y).
  { intros q x y Hq Hx Hy H1 H2; apply Rlt_le_trans with (q x * Q x y); [apply Rmult_lt_0_compat; assumption|].
    apply (sum_pos n (fun x => q x * Q x y)); [|assumption].
    intros; apply Rmult_le_pos; [apply Hq|apply HQ]; assumption. }
  destruct (notion P); try discriminate.
  - destruct name as [|i [|]]; try discriminate.
    destruct (Nat.ltb_spec i (length points)) as [Hi|]; try discriminate; intro E; injection E as <- <-.
    specialize (HP i Hi); specialize (HL _ HP); rewrite information_entropies in HL.
    split; [exact HL|split; [apply HP|split; [|apply HP]]]; intros; eapply A; eauto; apply HP.
  - destruct name as [|i [|]]; try discriminate.
    destruct (Nat.ltb_spec i (length points)) as [Hi|]; try discriminate; intro E; injection E as <- <-.
    specialize (HP i Hi); specialize (HL _ HP); rewrite information_entropies in HL.
    split; [exact HL|split; [apply HP|split; [|apply HP]]]; intros; eapply A; eauto; apply HP.
  - destruct name as [|i [|x [|]]]; try discriminate.
    destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <- <-; by_conditions.
    specialize (HP i ltac:(assumption)); destruct (HL _ HP x ltac:(assumption)) as [C D].
    assert (F : forall f, sum n (fun x' => Q2R (entry x 1 x') * f x') = f x).
    { intro f; rewrite <- (Rmult_1_l (f x)), <- (sum_at_place n x 1 f) by assumption.
      apply sum_ext; intros; unfold entry, at_place; destruct (Nat.eqb i0 x); rewrite ?Q2R_1, ?Q2R_0; reflexivity. }
    split; [|split; [|split]].
    + unfold entropies; rewrite (sum_ext _ _ (fun y => Q x y * ln (Q x y / output n (real (nth i points [])) Q y))).
      * exact D.
      * intros y _; apply (F (fun x => Q x y * ln (Q x y / output n (real (nth i points [])) Q y))).
    + intros; unfold entry; destruct (Nat.eqb _ x); rewrite ?Q2R_1, ?Q2R_0; lra.
    + intros x' y Hx' Hy; unfold entry; destruct (Nat.eqb_spec x' x) as [->|]; rewrite ?Q2R_0; [|lra].
      intros _; apply C; assumption.
    + apply HP.
Qed.

(* The tangent of a log (a / b) at a / b = e^l. *)
Lemma entropy_tangent : forall a b l, 0 <= a -> 0 <= b -> (0 < a -> 0 < b) ->
  (1 + l) * a - exp l * b <= a * ln (a / b).
Proof.
  intros a b l [Ha|<-] Hb Hab.
  - specialize (Hab Ha).
    assert (K := exp_ineq1_le (l + ln (b / a))).
    rewrite exp_plus, exp_ln in K by (apply Rdiv_lt_0_compat; assumption).
    apply Rmult_le_compat_r with (r := a) in K; [|lra].
    replace (exp l * (b / a) * a) with (exp l * b) in K by (field; lra).
    replace (ln (a / b)) with (- ln (b / a)); [lra|].
    unfold Rdiv; rewrite !ln_mult, !ln_Rinv by (auto using Rinv_0_lt_compat); lra.
  - assert (0 <= exp l * b) by (apply Rmult_le_pos; [apply Rlt_le, exp_pos|assumption]); lra.
Qed.
