(* Sum bounds: what maxima, entropies, powers and norms of the columns add up to, if the loss is at most eps. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Powers Levels Bounds.
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

(* Sum over y and x of weights(x) q_y(x) log (q_y(x) / own(q_y)) <= eps rate, with own the probability of y under a law:
   for divergences of rows a law that is certain of an input. *)
Definition certain (n x : nat) : list Q := table n (entry x 1).

Definition entropy_of (P : problem) (points : list (list Q)) (name : list nat) : option (list Q * (nat -> Q) * Q) :=
  match notion P, name with
  | mutual_information, [i] | capacity, [i] =>
      if Nat.ltb i (length points) then let p := nth i points [] in Some (p, at_ p, 1%Q) else None
  | pointwise_leakage, [i; x] =>
      if Nat.ltb i (length points) && Nat.ltb x (inputs P) then Some (nth i points [], entry x 1, 1%Q) else None
  | renyi_differential_privacy a, [x; z] =>
      match distance P x z with
      | Some d => if Qeq_bool a 1 && Nat.ltb x (inputs P) && Nat.ltb z (inputs P) && qle 0 d
                  then Some (certain (inputs P) z, entry x 1, d) else None
      | None => None
      end
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

Lemma sum_chosen : forall n x f, (x < n)%nat -> sum n (fun x' => Q2R (entry x 1 x') * f x') = f x.
Proof.
  intros n x f Hx; rewrite <- (Rmult_1_l (f x)), <- (sum_at_place n x 1 f) by assumption.
  apply sum_ext; intros i _; unfold entry, at_place; destruct (Nat.eqb i x); rewrite ?Q2R_1, ?Q2R_0; reflexivity.
Qed.

Lemma chosen_nonneg : forall x x', 0 <= Q2R (entry x 1 x').
Proof. intros; unfold entry; destruct (Nat.eqb _ x); rewrite ?Q2R_1, ?Q2R_0; lra. Qed.

Lemma certain_output : forall n z Q y, (z < n)%nat -> output n (real (certain n z)) Q y = Q z y.
Proof.
  intros n z Q y Hz; rewrite <- (sum_chosen n z (fun x => Q x y)) by assumption; apply sum_ext; intros x Hx.
  unfold real, at_, certain; rewrite nth_table by assumption; reflexivity.
Qed.

Lemma certain_law : forall n z, (z < n)%nat -> is_law n (real (certain n z)).
Proof.
  intros n z Hz; split.
  - intros x Hx; unfold real, at_, certain; rewrite nth_table by assumption; apply chosen_nonneg.
  - rewrite <- (certain_output n z (fun _ _ => 1) O Hz); apply sum_ext; intros; ring.
Qed.

Lemma entropy_sound : forall P points name p w rate Q eps, is_mechanism (inputs P) (outputs P) Q -> loss_at_most P Q eps ->
  points_allowed P points -> entropy_of P points name = Some (p, w, rate) ->
  entropies (inputs P) (outputs P) (real p) (fun x => Q2R (w x)) Q <= eps * Q2R rate /\
  (forall x, (x < inputs P)%nat -> 0 <= Q2R (w x)) /\
  (forall x y, (x < inputs P)%nat -> (y < outputs P)%nat -> 0 < Q2R (w x) -> 0 < Q x y ->
     0 < output (inputs P) (real p) Q y) /\
  is_law (inputs P) (real p) /\ 0 <= Q2R rate.
Proof.
  intros P points name p w rate Q eps HQ HL HP; unfold entropy_of; unfold loss_at_most in HL; unfold points_allowed in HP.
  set (n := inputs P) in *; set (m := outputs P) in *.
  assert (A : forall p x y, is_law n p -> (x < n)%nat -> (y < m)%nat -> 0 < p x -> 0 < Q x y -> 0 < output n p Q y).
  { intros q x y Hq Hx Hy H1 H2; apply Rlt_le_trans with (q x * Q x y); [apply Rmult_lt_0_compat; assumption|].
    apply (sum_pos n (fun x => q x * Q x y)); [|assumption].
    intros; apply Rmult_le_pos; [apply Hq|apply HQ]; assumption. }
  assert (One : 0 <= Q2R 1) by (rewrite Q2R_1; lra).
  destruct (notion P) as [| | | | | | | | | | | |a|]; try discriminate.
  1-2: destruct name as [|i [|]]; try discriminate;
    destruct (Nat.ltb_spec i (length points)) as [Hi|]; try discriminate; intro E; injection E as <- <- <-;
    specialize (HP i Hi); specialize (HL _ HP); rewrite information_entropies in HL;
    split; [rewrite Q2R_1, Rmult_1_r; exact HL|split; [apply HP|split; [|split; [apply HP|exact One]]]];
    intros; eapply A; eauto; apply HP.
  - destruct name as [|i [|x [|]]]; try discriminate.
    destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <- <- <-; by_conditions.
    specialize (HP i ltac:(assumption)); destruct (HL _ HP x ltac:(assumption)) as [C D].
    split; [|split; [intros; apply chosen_nonneg|split; [|split; [apply HP|exact One]]]].
    + rewrite Q2R_1, Rmult_1_r; eapply Rle_trans; [|exact D]; right; unfold entropies, divergence.
      apply sum_ext; intros y _; apply (sum_chosen n x (fun x => Q x y * ln (Q x y / output n (real (nth i points [])) Q y))); assumption.
    + intros x' y Hx' Hy; unfold entry; destruct (Nat.eqb_spec x' x) as [->|]; rewrite ?Q2R_0; [|lra].
      intros _; apply C; assumption.
  - destruct name as [|x [|z [|]]]; try discriminate.
    destruct (distance P x z) as [d|] eqn:Ed; [|discriminate].
    destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <- <- <-; by_conditions.
    match goal with H : Qeq_bool a 1 = true |- _ => rename H into Ha end.
    destruct (HL x z d ltac:(assumption) ltac:(assumption) Ed) as [C D]; rewrite Ha in D.
    assert (Hz : (z < n)%nat) by assumption; assert (Hx : (x < n)%nat) by assumption.
    split; [|split; [intros; apply chosen_nonneg|split; [|split; [apply certain_law; assumption|apply qle_pos; assumption]]]].
    + eapply Rle_trans; [|exact D]; right; unfold entropies; apply sum_ext; intros y _; rewrite certain_output by assumption.
      apply (sum_chosen n x (fun x => Q x y * ln (Q x y / Q z y))); assumption.
    + intros x' y Hx' Hy; rewrite certain_output by assumption; unfold entry.
      destruct (Nat.eqb_spec x' x) as [->|]; rewrite ?Q2R_0; [|lra].
      intros _; apply C; [|assumption]; apply Qeq_bool_eq, Qeq_eqR in Ha; rewrite Ha, Q2R_1; lra.
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

(* Powers of two rows, and norms of columns, of an order a other than 1: with sigma the sign of a - 1,
   sigma times the sum over y is at most sigma e^(eps sigma rate). *)
Definition above_one (a : Q) : bool := qlt 1 a.
Definition has_powers (a : Q) : bool := qlt 0 a && negb (Qeq_bool a 1).
Definition from_one (a : Q) : Q := if above_one a then qadd a (Qopp 1) else qadd 1 (Qopp a).

Lemma above_one_cases : forall a, has_powers a = true ->
  (above_one a = true /\ 1 < Q2R a /\ Q2R (from_one a) = Q2R a - 1) \/
  (above_one a = false /\ 0 < Q2R a < 1 /\ Q2R (from_one a) = 1 - Q2R a).
Proof.
  intros a H; apply andb_prop in H as [H0 H1]; apply qlt_pos in H0; unfold from_one; destruct (above_one a) eqn:E; [left|right].
  - split; [reflexivity|]; unfold above_one in E; apply qlt_real in E; rewrite Q2R_1 in E.
    split; [assumption|]; rewrite qadd_real, Q2R_opp, Q2R_1; reflexivity.
  - split; [reflexivity|]; rewrite qadd_real, Q2R_opp, Q2R_1; split; [|reflexivity].
    split; [assumption|]; unfold above_one, qlt in E; apply negb_false_iff, qle_real in E; rewrite Q2R_1 in E.
    destruct E as [|E]; [assumption|exfalso].
    assert (K : a == 1%Q) by (apply eqR_Qeq; rewrite E, Q2R_1; reflexivity).
    apply Qeq_bool_iff in K; rewrite K in H1; discriminate.
Qed.

Definition bounded_by (a : Q) (total eps rate : R) : Prop :=
  if above_one a then total <= exp (eps * rate) else exp (- (eps * rate)) <= total.

Definition rows_of (P : problem) (name : list nat) : option (nat * nat * Q * Q) :=
  match notion P, name with
  | renyi_differential_privacy a, [x; z] =>
      match distance P x z with
      | Some d => if has_powers a && Nat.ltb x (inputs P) && Nat.ltb z (inputs P) && qle 0 d then Some (x, z, a, d) else None
      | None => None
      end
  | _, _ => None
  end.

Definition norms_of (P : problem) (points : list (list Q)) (name : list nat) : option (list Q * Q) :=
  match notion P, name with
  | sibson_mutual_information a, [i] => if has_powers a && Nat.ltb i (length points) then Some (nth i points [], a) else None
  | _, _ => None
  end.

(* From a logarithm of a total over a - 1 to the total. *)
Lemma total_bounded : forall a total eps c, has_powers a = true -> 0 < total -> 0 < c ->
  ln total * c / (Q2R a - 1) <= eps -> bounded_by a total eps (Q2R (from_one a) / c).
Proof.
  intros a total eps c Ha Ht Hc H; unfold bounded_by; destruct (above_one_cases a Ha) as [[-> [A ->]]|[-> [A ->]]].
  - apply le_exp_of_ln; [assumption|].
    apply Rmult_le_reg_r with (c / (Q2R a - 1)); [apply Rdiv_lt_0_compat; lra|].
    replace (eps * ((Q2R a - 1) / c) * (c / (Q2R a - 1))) with eps by (field; lra); unfold Rdiv in *; lra.
  - rewrite <- (exp_ln total Ht); apply exp_le.
    apply Rmult_le_reg_r with (c / (1 - Q2R a)); [apply Rdiv_lt_0_compat; lra|].
    replace (- (eps * ((1 - Q2R a) / c)) * (c / (1 - Q2R a))) with (- eps) by (field; lra).
    replace (ln total * c / (Q2R a - 1)) with (- (ln total * (c / (1 - Q2R a)))) in H by (field; lra); lra.
Qed.

Lemma bounded_scaled : forall a total eps r d, bounded_by a total (eps * d) r -> bounded_by a total eps (r * d).
Proof.
  intros a total eps r d; unfold bounded_by; replace (eps * (r * d)) with (eps * d * r) by ring; auto.
Qed.

Lemma rows_sound : forall P name x z a d Q eps, loss_at_most P Q eps -> rows_of P name = Some (x, z, a, d) ->
  (x < inputs P)%nat /\ (z < inputs P)%nat /\ has_powers a = true /\ 0 <= Q2R d /\
  (above_one a = true -> forall y, (y < outputs P)%nat -> 0 < Q x y -> 0 < Q z y) /\
  bounded_by a (powers (outputs P) (Q2R a) (Q x) (Q z)) eps (Q2R (from_one a) * Q2R d).
Proof.
  intros P name x z a d Q eps HL; unfold rows_of; unfold loss_at_most in HL.
  destruct (notion P); try discriminate; destruct name as [|x' [|z' [|]]]; try discriminate.
  destruct (distance P x' z') as [d'|] eqn:Ed; [|discriminate].
  destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <- <- <- <-; by_conditions.
  match goal with H : has_powers order = true |- _ => rename H into Ha end.
  destruct (HL x' z' d' ltac:(assumption) ltac:(assumption) Ed) as [C D].
  assert (N : Qeq_bool order 1 = false) by (apply andb_prop in Ha as [_ Ha]; apply negb_true_iff in Ha; exact Ha).
  rewrite N in D; destruct D as [T D].
  do 2 (split; [assumption|]); split; [assumption|split; [apply qle_pos; assumption|split]].
  - intros A; apply C; unfold above_one in A; apply qlt_real in A; rewrite Q2R_1 in A; lra.
  - apply bounded_scaled; replace (Q2R (from_one order)) with (Q2R (from_one order) / 1) by field.
    apply total_bounded; try assumption; [lra|]; rewrite Rmult_1_r; exact D.
Qed.

Lemma norms_positive : forall n m a p Q, a <> 0 -> is_law n p -> is_mechanism n m Q ->
  0 < sum m (fun y => norm n a p (fun x => Q x y)).
Proof.
  intros n m a p Q Ha Hp HQ.
  assert (N : forall y, (y < m)%nat -> 0 <= norm n a p (fun x => Q x y)) by (intros; apply norm_nonneg).
  destruct (sum_nonneg m _ N) as [|E]; [assumption|exfalso].
  assert (Z : forall x y, (x < n)%nat -> (y < m)%nat -> p x * Q x y = 0).
  { intros x y Hx Hy; assert (E' := sum_vanishes m _ N (eq_sym E) y Hy); cbv beta in E'.
    apply (norm_zero n a p (fun x => Q x y)); try assumption; [apply Hp|intros; apply HQ; assumption]. }
  assert (K : sum n p = 0); [|destruct Hp as [_ Hp]; lra].
  apply sum_zero; intros x Hx; rewrite <- (Rmult_1_r (p x)), <- (proj2 HQ x Hx), <- sum_scale.
  apply sum_zero; intros; apply Z; assumption.
Qed.

Lemma norms_sound : forall P points name p a Q eps, is_mechanism (inputs P) (outputs P) Q -> loss_at_most P Q eps ->
  points_allowed P points -> norms_of P points name = Some (p, a) ->
  has_powers a = true /\ is_law (inputs P) (real p) /\
  bounded_by a (sum (outputs P) (fun y => norm (inputs P) (Q2R a) (real p) (fun x => Q x y))) eps (Q2R (from_one a) / Q2R a).
Proof.
  intros P points name p a Q eps HQ HL HP; unfold norms_of; unfold loss_at_most in HL; unfold points_allowed in HP.
  destruct (notion P); try discriminate; destruct name as [|i [|]]; try discriminate.
  destruct (_ && _) eqn:W; try discriminate; intro E; injection E as <- <-; by_conditions.
  match goal with H : has_powers order = true |- _ => rename H into Ha end.
  specialize (HP i ltac:(assumption)); specialize (HL _ HP).
  assert (A0 : 0 < Q2R order) by (apply andb_prop in Ha as [A0 _]; apply qlt_pos; assumption).
  split; [assumption|split; [apply HP|]]; apply total_bounded; try assumption.
  - apply norms_positive; [lra|apply HP|assumption].
  - unfold sibson_information in HL; change (fun y => power (sum (inputs P) (fun x => real (nth i points []) x * power (Q x y) (Q2R order))) (/ Q2R order))
      with (fun y => norm (inputs P) (Q2R order) (real (nth i points [])) (fun x => Q x y)) in HL.
    eapply Rle_trans; [|exact HL]; right; unfold Rdiv; ring.
Qed.
