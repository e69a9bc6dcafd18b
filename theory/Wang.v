(* Wang, Ying and Zhang (2016), Theorem 1, for every number u of rows, v of values and every distribution of the databases.

   The distortion is the mean number of rows that change; h(eps) = u (v - 1) / (v - 1 + e^eps). Equation (12): at the
   distortion D <= h(tilde eps_X) the least identifiability is h^-1(D) = ln (u / D - 1) + ln (v - 1), where at tilde eps_X the
   posteriors e^(-eps d(x,y)) / (1 + (v - 1) e^-eps)^u are feasible; it is at least h^-1(D) at every D, and at least eps_X.
   Equation (13): what differential privacy costs. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Levels Bounds Databases.
Open Scope R_scope.

Definition rows_wrong (v u : nat) (p : nat -> R) (Q : nat -> nat -> R) : R :=
  distortion (v ^ u) (v ^ u) (fun x y => INR (rows_apart v u x y)) p Q.
Definition h (v u : nat) (eps : R) : R := INR u * (INR v - 1) / (INR v - 1 + exp eps).
Definition h_inverse (v u : nat) (D : R) : R := ln (INR u / D - 1) + ln (INR v - 1).

Definition identifiable (v u : nat) (p : nat -> R) (Q : nat -> nat -> R) (eps : R) : Prop :=
  identifies (v ^ u) (v ^ u) (databases v u) p Q eps.

(* The posteriors of equation (20), and what feasible means: some distribution q of the outputs has them and the prior p. *)
Definition posterior (v u : nat) (eps : R) (x y : nat) : R :=
  / exp eps ^ rows_apart v u x y * / (1 + (INR v - 1) * / exp eps) ^ u.
Definition feasible (v u : nat) (eps : R) (p : nat -> R) : Prop :=
  exists q, is_law (v ^ u) q /\
    forall x, (x < v ^ u)%nat -> p x = sum (v ^ u) (fun y => q y * posterior v u eps x y).

(* eps_X: how far the probabilities of neighbours lie apart. *)
Definition neighbours_within (v u : nat) (p : nat -> R) (eps : R) : Prop :=
  forall x x', (x < v ^ u)%nat -> (x' < v ^ u)%nat -> rows_apart v u x x' = 1%nat -> p x <= exp eps * p x'.

Lemma databases_apart : forall v u x x', rows_apart v u x x' = 1%nat -> databases v u x x' = Some 1%Q.
Proof. intros v u x x' E; unfold databases; rewrite E; reflexivity. Qed.

Lemma identifiable_joint : forall v u p Q eps x x' y, is_law (v ^ u) p -> is_mechanism (v ^ u) (v ^ u) Q ->
  identifiable v u p Q eps -> (x < v ^ u)%nat -> (x' < v ^ u)%nat -> (y < v ^ u)%nat -> rows_apart v u x x' = 1%nat ->
  p x * Q x y <= exp eps * (p x' * Q x' y).
Proof.
  intros v u p Q eps x x' y Hp HQ H Hx Hx' Hy E.
  destruct (output_nonneg _ _ p Q y Hp HQ Hy) as [O|O].
  - assert (K := H x x' 1%Q y Hx Hx' Hy (databases_apart v u x x' E) O); rewrite Q2R_1, Rmult_1_r in K.
    set (o := output (v ^ u) p Q y) in *.
    apply Rmult_le_compat_r with (r := o) in K; [|lra].
    replace (p x * Q x y / o * o) with (p x * Q x y) in K by (field; lra).
    replace (exp eps * (p x' * Q x' y / o) * o) with (exp eps * (p x' * Q x' y)) in K by (field; lra).
    exact K.
  - rewrite (output_zero _ _ p Q x y Hp HQ Hx Hy), (output_zero _ _ p Q x' y Hp HQ Hx' Hy) by auto; lra.
Qed.

Lemma rows_wrong_by_columns : forall v u p Q,
  rows_wrong v u p Q = sum (v ^ u) (fun y => sum (v ^ u) (fun x => p x * Q x y * INR (rows_apart v u x y))).
Proof.
  intros; unfold rows_wrong, distortion.
  rewrite <- (sum_swap (v ^ u) (v ^ u) (fun x y => p x * Q x y * INR (rows_apart v u x y))).
  apply sum_ext; intros x _; rewrite <- sum_scale; apply sum_ext; intros; ring.
Qed.

Lemma joint_total : forall n m p Q, is_law n p -> is_mechanism n m Q -> sum m (fun y => sum n (fun x => p x * Q x y)) = 1.
Proof.
  intros n m p Q Hp HQ; rewrite <- (sum_swap n m (fun x y => p x * Q x y)), <- (proj2 Hp).
  apply sum_ext; intros x Hx; rewrite sum_scale, (proj2 HQ x Hx); ring.
Qed.

(* The bound at every level. *)
Theorem wang_theorem_1_bound : forall v u p Q eps, (1 <= v)%nat -> is_law (v ^ u) p -> is_mechanism (v ^ u) (v ^ u) Q ->
  identifiable v u p Q eps -> h v u eps <= rows_wrong v u p Q.
Proof.
  intros v u p Q eps Hv Hp HQ H.
  assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (E0 : 0 < exp eps) by apply exp_pos.
  assert (K : INR u * (INR v - 1) * 1 <= (INR v - 1 + exp eps) * rows_wrong v u p Q).
  { rewrite rows_wrong_by_columns.
    apply Rle_trans with (INR u * (INR v - 1) * sum (v ^ u) (fun y => sum (v ^ u) (fun x => p x * Q x y)));
      [rewrite joint_total by assumption; lra|].
    rewrite <- !sum_scale; apply sum_le; intros y Hy; apply (rows_far v (exp eps) u (fun x => p x * Q x y)); try assumption.
    intros x x' Hx Hx' E; apply (identifiable_joint v u); assumption. }
  unfold h; apply Rmult_le_reg_r with (INR v - 1 + exp eps); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

Lemma posterior_pos : forall v u eps x y, (1 <= v)%nat -> 0 < posterior v u eps x y.
Proof.
  intros v u eps x y Hv; assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (G := exp_pos eps); assert (I : 0 < / exp eps) by (apply Rinv_0_lt_compat; assumption).
  assert (0 <= (INR v - 1) * / exp eps) by (apply Rmult_le_pos; lra).
  unfold posterior; apply Rmult_lt_0_compat; apply Rinv_0_lt_compat, pow_lt; lra.
Qed.

Lemma posterior_column : forall v u eps y, (1 <= v)%nat -> (y < v ^ u)%nat ->
  sum (v ^ u) (fun x => posterior v u eps x y) = 1.
Proof.
  intros v u eps y Hv Hy; assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (G := exp_pos eps); assert (I : 0 < / exp eps) by (apply Rinv_0_lt_compat; assumption).
  assert (0 <= (INR v - 1) * / exp eps) by (apply Rmult_le_pos; lra).
  unfold posterior; rewrite sum_scale_r.
  rewrite (sum_ext _ _ (fun x => / exp eps ^ rows_apart v u y x)) by (intros; rewrite rows_apart_sym; reflexivity).
  rewrite sphere_weights by (assumption || lia); apply Rinv_r, pow_nonzero; lra.
Qed.

Lemma posterior_sym : forall v u eps x y, posterior v u eps x y = posterior v u eps y x.
Proof. intros; unfold posterior; rewrite rows_apart_sym; reflexivity. Qed.

Lemma posterior_distance : forall v u eps y, (1 <= v)%nat -> (y < v ^ u)%nat ->
  sum (v ^ u) (fun x => posterior v u eps x y * INR (rows_apart v u x y)) = h v u eps.
Proof.
  intros v u eps y Hv Hy; assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (G := exp_pos eps); assert (I : 0 < / exp eps) by (apply Rinv_0_lt_compat; assumption).
  assert (0 <= (INR v - 1) * / exp eps) by (apply Rmult_le_pos; lra).
  assert (S := sphere_distances v (exp eps) u y ltac:(lia) G Hy); cbv zeta in S.
  set (k := 1 + (INR v - 1) * / exp eps) in *.
  assert (K : 0 < k) by (unfold k; lra).
  rewrite (sum_ext _ _ (fun x => INR (rows_apart v u y x) * / exp eps ^ rows_apart v u y x * / k ^ u)).
  2:{ intros x _; unfold posterior; fold k; rewrite (rows_apart_sym v u x y); ring. }
  rewrite sum_scale_r; set (T := sum (v ^ u) _) in *.
  assert (W : 0 < k ^ u) by (apply pow_lt; assumption).
  apply Rmult_eq_reg_l with (k * k ^ u); [|apply Rmult_integral_contrapositive; split; lra].
  replace (k * k ^ u * (T * / k ^ u)) with (k * T) by (field; lra).
  rewrite S; unfold h, k; field; repeat split; lra.
Qed.

(* Neighbours of an input have nearly the same posterior. *)
Lemma posterior_neighbours : forall v u eps x x' y, (1 <= v)%nat -> 0 <= eps -> rows_apart v u x x' = 1%nat ->
  posterior v u eps x y <= exp eps * posterior v u eps x' y.
Proof.
  intros v u eps x x' y Hv He E; assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (G := exp_pos eps); assert (G1 : 1 <= exp eps) by (rewrite <- exp_0; apply exp_le; assumption).
  assert (I : 0 < / exp eps) by (apply Rinv_0_lt_compat; assumption).
  assert (0 <= (INR v - 1) * / exp eps) by (apply Rmult_le_pos; lra).
  unfold posterior; rewrite <- Rmult_assoc; apply Rmult_le_compat_r.
  { apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra. }
  assert (T := rows_apart_triangle v u x' x y); rewrite (rows_apart_sym v u x' x), E in T.
  assert (P1 := pow_lt (exp eps) (rows_apart v u x y) G); assert (P2 := pow_lt (exp eps) (rows_apart v u x' y) G).
  assert (L : exp eps ^ rows_apart v u x' y <= exp eps * exp eps ^ rows_apart v u x y)
    by (change (exp eps * exp eps ^ rows_apart v u x y) with (exp eps ^ S (rows_apart v u x y)); apply Rle_pow; assumption || lia).
  set (a := exp eps ^ rows_apart v u x y) in *; set (b := exp eps ^ rows_apart v u x' y) in *.
  apply Rmult_le_reg_r with (a * b); [apply Rmult_lt_0_compat; assumption|].
  replace (/ a * (a * b)) with b by (field; lra).
  replace (exp eps * / b * (a * b)) with (exp eps * a) by (field; lra); exact L.
Qed.

Theorem wang_theorem_1_attained : forall v u p eps, (1 <= v)%nat -> 0 <= eps -> is_law (v ^ u) p -> feasible v u eps p ->
  exists Q, is_mechanism (v ^ u) (v ^ u) Q /\ identifiable v u p Q eps /\ rows_wrong v u p Q = h v u eps.
Proof.
  intros v u p eps Hv He Hp [q [Hq F]]; set (n := (v ^ u)%nat) in *.
  assert (Pos : forall x, (x < n)%nat -> 0 < p x).
  { intros x Hx; assert (T : 0 <= p x) by (apply Hp; assumption); destruct T as [|T]; [assumption|exfalso].
    rewrite (F x Hx) in T.
    assert (Z : forall y, (y < n)%nat -> q y * posterior v u eps x y = 0).
    { apply (sum_vanishes n (fun y => q y * posterior v u eps x y)); [|auto].
      intros; apply Rmult_le_pos; [apply Hq; assumption|apply Rlt_le, posterior_pos; assumption]. }
    assert (sum n q = 0); [|destruct Hq; lra].
    apply sum_zero; intros y Hy; specialize (Z y Hy); assert (W := posterior_pos v u eps x y Hv).
    apply Rmult_integral in Z as [Z|Z]; [assumption|lra]. }
  set (Q := fun x y => q y * posterior v u eps x y / p x).
  assert (J : forall x y, (x < n)%nat -> p x * Q x y = q y * posterior v u eps x y).
  { intros x y Hx; unfold Q; field; specialize (Pos x Hx); lra. }
  assert (O : forall y, (y < n)%nat -> output n p Q y = q y).
  { intros y Hy; unfold output; rewrite (sum_ext _ _ (fun x => q y * posterior v u eps x y)) by (intros; apply J; assumption).
    rewrite sum_scale; unfold n; rewrite posterior_column by assumption; ring. }
  exists Q; split; [|split].
  - split.
    + intros x y Hx Hy; unfold Q; apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, Pos; assumption].
      apply Rmult_le_pos; [apply Hq; assumption|apply Rlt_le, posterior_pos; assumption].
    + intros x Hx; unfold Q, Rdiv; rewrite sum_scale_r, <- F by assumption; specialize (Pos x Hx); field; lra.
  - intros x x' d y Hx Hx' Hy D; unfold databases in D.
    destruct (Nat.eqb_spec (rows_apart v u x x') 1) as [E|]; [injection D as <-|discriminate].
    fold n; rewrite Q2R_1, Rmult_1_r, O, !J by assumption; intro Oy.
    replace (q y * posterior v u eps x y / q y) with (posterior v u eps x y) by (field; lra).
    replace (q y * posterior v u eps x' y / q y) with (posterior v u eps x' y) by (field; lra).
    apply posterior_neighbours; assumption.
  - rewrite rows_wrong_by_columns; fold n.
    rewrite (sum_ext _ _ (fun y => q y * h v u eps)); [rewrite sum_scale_r, (proj2 Hq); ring|].
    intros y Hy; rewrite <- (posterior_distance v u eps y Hv Hy); fold n; rewrite <- sum_scale.
    apply sum_ext; intros x Hx; rewrite J by assumption; ring.
Qed.

Lemma h_of_inverse : forall v u D, (2 <= v)%nat -> 0 < D < INR u -> h v u (h_inverse v u D) = D.
Proof.
  intros v u D Hv [D0 D1]; assert (V : 2 <= INR v) by (change 2 with (INR 2); apply le_INR; assumption).
  assert (A : 0 < INR u / D - 1).
  { replace (INR u / D - 1) with ((INR u - D) / D) by (field; lra); apply Rdiv_lt_0_compat; lra. }
  unfold h, h_inverse; rewrite exp_plus, !exp_ln by lra; field; repeat split; try lra.
  replace (INR v - 1 + (INR u / D - 1) * (INR v - 1)) with (INR u * (INR v - 1) / D) by (field; lra).
  replace ((INR v - 1) * D + (INR u - D) * (INR v - 1)) with (INR u * (INR v - 1)) by ring.
  apply Rmult_integral_contrapositive; split; lra.
Qed.

Lemma h_decreasing : forall v u eps eps', (2 <= v)%nat -> (1 <= u)%nat -> h v u eps' <= h v u eps -> eps <= eps'.
Proof.
  intros v u eps eps' Hv Hu H; assert (V : 2 <= INR v) by (change 2 with (INR 2); apply le_INR; assumption).
  assert (U : 1 <= INR u) by (change 1 with (INR 1); apply le_INR; assumption).
  destruct (Rle_lt_dec eps eps') as [|C]; [assumption|exfalso]; apply exp_increasing in C.
  assert (G := exp_pos eps); assert (G' := exp_pos eps').
  assert (P : 0 < INR u * (INR v - 1)) by (apply Rmult_lt_0_compat; lra).
  assert (h v u eps < h v u eps'); [|lra].
  unfold h, Rdiv; apply Rmult_lt_compat_l; [assumption|apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra]].
Qed.

(* The posteriors stay feasible at larger levels: those of a smaller level are mixtures of theirs. A kernel treats rows one by
   one, and gives each value the probability a if it is right and b if it is wrong. *)
Fixpoint kernel (v u : nat) (a b : R) (x y : nat) : R :=
  match u with
  | O => 1
  | S k => (if Nat.eqb (x mod v) (y mod v) then a else b) * kernel v k a b (x / v) (y / v)
  end.

Lemma kernel_digits : forall v u a b c d c' d', (d < v)%nat -> (d' < v)%nat ->
  kernel v (S u) a b (c * v + d) (c' * v + d') = (if Nat.eqb d d' then a else b) * kernel v u a b c c'.
Proof.
  intros v u a b c d c' d' Hd Hd'; cbn [kernel].
  destruct (digit v c d Hd) as [-> ->]; destruct (digit v c' d' Hd') as [-> ->]; reflexivity.
Qed.

Lemma kernel_nonneg : forall v u a b x y, 0 <= a -> 0 <= b -> 0 <= kernel v u a b x y.
Proof.
  intros v u a b x y Ha Hb; revert x y; induction u; intros x y; simpl; [lra|].
  apply Rmult_le_pos; [destruct (Nat.eqb _ _); assumption|apply IHu].
Qed.

Lemma posterior_kernel : forall v u eps x y, (1 <= v)%nat -> posterior v u eps x y =
  kernel v u (/ (1 + (INR v - 1) * / exp eps)) (/ exp eps * / (1 + (INR v - 1) * / exp eps)) x y.
Proof.
  intros v u eps x y Hv; unfold posterior; set (k := 1 + (INR v - 1) * / exp eps).
  revert x y; induction u; intros x y; simpl; [field|].
  rewrite <- IHu; rewrite pow_add, !Rinv_mult; destruct (Nat.eqb _ _); simpl; [rewrite Rinv_1|rewrite Rmult_1_r]; ring.
Qed.

Lemma kernel_column : forall v u a b y, (1 <= v)%nat -> a + (INR v - 1) * b = 1 -> (y < v ^ u)%nat ->
  sum (v ^ u) (fun x => kernel v u a b x y) = 1.
Proof.
  intros v u a b y Hv E; revert y; induction u; intros y Hy; [simpl; ring|].
  destruct (by_digits v u y ltac:(lia) Hy) as [c' [d' [Hc' [Hd' ->]]]].
  replace (v ^ S u)%nat with (v ^ u * v)%nat by (simpl; lia); rewrite sum_digits.
  rewrite (sum_ext _ _ (fun c => 1 * kernel v u a b c c')); [rewrite sum_scale, IHu by assumption; ring|].
  intros c Hc.
  rewrite (sum_ext _ _ (fun d => (b + at_place d' (a - b) d * 1) * kernel v u a b c c')).
  - rewrite sum_scale_r, sum_plus, sum_const, (sum_at_place v d' (a - b) (fun _ => 1)) by assumption.
    f_equal; lra.
  - intros d Hd; rewrite kernel_digits by assumption; unfold at_place; destruct (Nat.eqb d d'); ring.
Qed.

Lemma kernel_compose : forall v u a b a' b' x y, (1 <= v)%nat -> (x < v ^ u)%nat -> (y < v ^ u)%nat ->
  a + (INR v - 1) * b = 1 -> a' + (INR v - 1) * b' = 1 ->
  let l := (a - b) * (a' - b') in
  sum (v ^ u) (fun z => kernel v u a b x z * kernel v u a' b' z y) = kernel v u ((1 - l) / INR v + l) ((1 - l) / INR v) x y.
Proof.
  intros v u a b a' b' x y Hv Hx Hy E E' l; assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; assumption).
  revert x y Hx Hy; induction u; intros x y Hx Hy; [simpl; ring|].
  destruct (by_digits v u x ltac:(lia) Hx) as [c [d [Hc [Hd ->]]]].
  destruct (by_digits v u y ltac:(lia) Hy) as [c' [d' [Hc' [Hd' ->]]]].
  rewrite kernel_digits by assumption.
  replace (v ^ S u)%nat with (v ^ u * v)%nat by (simpl; lia); rewrite sum_digits.
  set (r := if Nat.eqb d d' then (1 - l) / INR v + l else (1 - l) / INR v).
  rewrite (sum_ext _ _ (fun z => r * (kernel v u a b c z * kernel v u a' b' z c'))); [rewrite sum_scale, IHu by assumption; reflexivity|].
  intros z Hz.
  rewrite (sum_ext _ _ (fun w => (b * b' + at_place d' (b * (a' - b')) w * 1 + at_place d (b' * (a - b)) w * 1
      + at_place d (if Nat.eqb d d' then l else 0) w * 1) * (kernel v u a b c z * kernel v u a' b' z c'))).
  - rewrite sum_scale_r, !sum_plus, sum_const; rewrite !(sum_at_place v _ _ (fun _ => 1)) by assumption; f_equal.
    assert (A : a = 1 - (INR v - 1) * b) by lra; assert (A' : a' = 1 - (INR v - 1) * b') by lra.
    unfold r, l; rewrite A, A'; destruct (Nat.eqb d d'); field; lra.
  - intros w Hw; rewrite !kernel_digits by assumption; unfold at_place; rewrite (Nat.eqb_sym d w).
    destruct (Nat.eqb_spec w d) as [->|]; [destruct (Nat.eqb d d'); unfold l; ring|destruct (Nat.eqb w d'); ring].
Qed.

Lemma feasible_grows : forall v u p eps eps', (2 <= v)%nat -> 0 <= eps <= eps' -> feasible v u eps p -> feasible v u eps' p.
Proof.
  intros v u p eps eps' Hv [He [Hlt| <-]] [q [Hq F]]; [|exists q; auto].
  assert (V : 2 <= INR v) by (change 2 with (INR 2); apply le_INR; assumption).
  assert (G : 1 <= exp eps) by (rewrite <- exp_0; apply exp_le; assumption).
  apply exp_increasing in Hlt; set (g := exp eps) in *; set (g' := exp eps') in *.
  set (a := / (1 + (INR v - 1) * / g)); set (b := / g * a); set (a' := / (1 + (INR v - 1) * / g')); set (b' := / g' * a').
  assert (Ea : a = g / (g + INR v - 1)) by (unfold a; field; lra).
  assert (Ea' : a' = g' / (g' + INR v - 1)) by (unfold a'; field; lra).
  assert (Eb : b = / (g + INR v - 1)) by (unfold b; rewrite Ea; field; lra).
  assert (Eb' : b' = / (g' + INR v - 1)) by (unfold b'; rewrite Ea'; field; lra).
  set (l := (g - 1) * (g' + INR v - 1) / ((g' - 1) * (g + INR v - 1))).
  assert (L : 0 <= l <= 1).
  { assert (P : 0 < (g' - 1) * (g + INR v - 1)) by (apply Rmult_lt_0_compat; lra).
    split; [apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rlt_le, Rinv_0_lt_compat; assumption]|].
    apply Rmult_le_reg_r with ((g' - 1) * (g + INR v - 1)); [assumption|].
    unfold l, Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
    assert (0 <= (g' - g) * INR v) by (apply Rmult_le_pos; lra); lra. }
  set (c := (1 - l) / INR v).
  assert (C : 0 <= c) by (apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (S' : a' + (INR v - 1) * b' = 1) by (rewrite Ea', Eb'; field; lra).
  assert (Sc : (c + l) + (INR v - 1) * c = 1) by (unfold c; field; lra).
  assert (M : (a' - b') * (c + l - c) = a - b) by (rewrite Ea, Eb, Ea', Eb'; unfold l; field; repeat split; lra).
  exists (fun z => sum (v ^ u) (fun y => q y * kernel v u (c + l) c z y)); split; [split|].
  - intros z Hz; apply sum_nonneg; intros y Hy; apply Rmult_le_pos; [apply Hq; assumption|apply kernel_nonneg; lra].
  - rewrite (sum_swap (v ^ u) (v ^ u) (fun z y => q y * kernel v u (c + l) c z y)), <- (proj2 Hq).
    apply sum_ext; intros y Hy; rewrite sum_scale, kernel_column by (assumption || lia); ring.
  - intros x Hx; rewrite (F x Hx).
    rewrite (sum_ext _ (fun y => q y * posterior v u eps x y) (fun y => sum (v ^ u) (fun z =>
      q y * (kernel v u a' b' x z * kernel v u (c + l) c z y)))).
    + rewrite sum_swap; apply sum_ext; intros z Hz; rewrite posterior_kernel by lia; fold g'; fold a'; fold b'.
      rewrite <- sum_scale_r; apply sum_ext; intros; ring.
    + intros y Hy; rewrite sum_scale, (kernel_compose v u a' b' (c + l) c x y ltac:(lia) Hx Hy S' Sc); f_equal.
      rewrite M, posterior_kernel by lia; fold g; fold a; fold b.
      f_equal; [rewrite Ea, Eb; field; lra|rewrite Ea, Eb; field; lra].
Qed.

(* Equation (12), first line. *)
Theorem wang_theorem_1 : forall v u p tilde D, (2 <= v)%nat -> is_law (v ^ u) p -> 0 <= tilde -> feasible v u tilde p ->
  0 < D <= h v u tilde ->
  let least := h_inverse v u D in
  (exists Q, is_mechanism (v ^ u) (v ^ u) Q /\ identifiable v u p Q least /\ rows_wrong v u p Q <= D) /\
  (forall Q eps, is_mechanism (v ^ u) (v ^ u) Q -> identifiable v u p Q eps -> rows_wrong v u p Q <= D -> least <= eps).
Proof.
  intros v u p tilde D Hv Hp Ht F [D0 D1] least.
  assert (V : 2 <= INR v) by (change 2 with (INR 2); apply le_INR; assumption); assert (G := exp_pos tilde).
  assert (Hu : (1 <= u)%nat) by (destruct u; [unfold h in D1; simpl in D1; lra|lia]).
  assert (U : 1 <= INR u) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (HD : 0 < D < INR u).
  { split; [assumption|]; apply Rle_lt_trans with (h v u tilde); [assumption|]; unfold h.
    apply Rmult_lt_reg_r with (INR v - 1 + exp tilde); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (0 < INR u * exp tilde) by (apply Rmult_lt_0_compat; lra); lra. }
  assert (E := h_of_inverse v u D Hv HD); fold least in E.
  assert (L : tilde <= least) by (apply (h_decreasing v u); try assumption; lra); split.
  - destruct (wang_theorem_1_attained v u p least ltac:(lia) ltac:(lra) Hp) as [Q [HQ [HI HW]]].
    + apply (feasible_grows v u p tilde); [assumption|lra|assumption].
    + exists Q; split; [assumption|split; [assumption|lra]].
  - intros Q eps HQ HI HW; assert (B := wang_theorem_1_bound v u p Q eps ltac:(lia) Hp HQ HI).
    apply (h_decreasing v u); try assumption; lra.
Qed.

(* Equation (12), second line. *)
Theorem wang_theorem_1_beyond : forall v u p Q D eps, (2 <= v)%nat -> is_law (v ^ u) p -> 0 < D < INR u ->
  is_mechanism (v ^ u) (v ^ u) Q -> identifiable v u p Q eps -> rows_wrong v u p Q <= D ->
  h_inverse v u D <= eps /\ neighbours_within v u p eps.
Proof.
  intros v u p Q D eps Hv Hp HD HQ HI HW; split.
  - assert (B := wang_theorem_1_bound v u p Q eps ltac:(lia) Hp HQ HI); assert (E := h_of_inverse v u D Hv HD).
    apply (h_decreasing v u); [assumption| |lra].
    destruct u; [simpl in HD; lra|lia].
  - intros x x' Hx Hx' E; rewrite <- (Rmult_1_r (p x)), <- (Rmult_1_r (p x')).
    rewrite <- (proj2 HQ x Hx) at 1; rewrite <- (proj2 HQ x' Hx'), <- !sum_scale.
    apply sum_le; intros y Hy; apply (identifiable_joint v u); assumption.
Qed.

(* Equation (13). *)
Theorem wang_theorem_1_privacy : forall v u, (1 <= v)%nat ->
  (forall p Q eps eps_X, is_law (v ^ u) p -> is_mechanism (v ^ u) (v ^ u) Q ->
     keeps_outputs (v ^ u) (v ^ u) (databases v u) 0 Q eps -> neighbours_within v u p eps_X ->
     h v u (eps + eps_X) <= rows_wrong v u p Q) /\
  (forall eps, 0 <= eps -> exists Q, is_mechanism (v ^ u) (v ^ u) Q /\
     keeps_outputs (v ^ u) (v ^ u) (databases v u) 0 Q eps /\ forall p, is_law (v ^ u) p -> rows_wrong v u p Q = h v u eps).
Proof.
  intros v u Hv; split.
  - intros p Q eps eX Hp HQ HK HN; apply wang_theorem_1_bound; try assumption.
    intros x x' d y Hx Hx' Hy D O; unfold databases in D.
    destruct (Nat.eqb_spec (rows_apart v u x x') 1) as [E|]; [injection D as <-|discriminate].
    assert (K := HK x x' 1%Q y Hx Hx' Hy (databases_apart v u x x' E)); rewrite Q2R_1, Rmult_1_r, Rplus_0_r in *.
    unfold Rdiv; rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption|].
    rewrite exp_plus; replace (exp eps * exp eX * (p x' * Q x' y)) with (exp eX * p x' * (exp eps * Q x' y)) by ring.
    apply Rmult_le_compat; [apply Hp; assumption|apply HQ; assumption|apply HN; assumption|exact K].
  - intros eps He; exists (fun x y => posterior v u eps x y); split; [split|split].
    + intros; apply Rlt_le, posterior_pos; assumption.
    + intros x Hx; rewrite (sum_ext _ _ (fun y => posterior v u eps y x)) by (intros; apply posterior_sym).
      apply posterior_column; assumption.
    + intros x x' d y Hx Hx' Hy D; unfold databases in D.
      destruct (Nat.eqb_spec (rows_apart v u x x') 1) as [E|]; [injection D as <-|discriminate].
      rewrite Q2R_1, Rmult_1_r, Rplus_0_r; apply posterior_neighbours; assumption.
    + intros p Hp; unfold rows_wrong, distortion.
      rewrite (sum_ext _ _ (fun x => p x * h v u eps)); [rewrite sum_scale_r, (proj2 Hp); ring|].
      intros x Hx; f_equal; rewrite <- (posterior_distance v u eps x Hv Hx); apply sum_ext; intros y _.
      rewrite (posterior_sym v u eps x y), (rows_apart_sym v u x y); reflexivity.
Qed.
