(* Kalantari, Sankar and Sarwate (2018), Theorems 1 and 2, the second as corrected, for every number of letters. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Levels Bounds Convex Hamming Zhong.
Open Scope R_scope.

(* Class I: a mixture of members is uniform. *)
Definition class_one (n : nat) (S : (nat -> R) -> Prop) : Prop :=
  exists k w (ps : nat -> nat -> R), is_law k w /\ (forall i, (i < k)%nat -> S (ps i) /\ is_law n (ps i)) /\
    forall x, (x < n)%nat -> / INR n = sum k (fun i => w i * ps i x).

Lemma errs_uniform : forall n S Q D, class_one n S -> is_mechanism n n Q ->
  (forall p, S p -> is_law n p -> errs n p Q <= D) -> errs n (fun _ => / INR n) Q <= D.
Proof.
  intros n S Q D [k [w [ps [[Hw Hw1] [Hps E]]]]] HQ HD; unfold errs, distortion.
  rewrite (sum_ext _ _ (fun x => sum k (fun i => w i * (ps i x * sum n (fun y => Q x y * error x y))))).
  2:{ intros x Hx; rewrite (E x Hx), <- sum_scale_r; apply sum_ext; intros; ring. }
  rewrite sum_swap; apply Rle_trans with (sum k (fun i => w i * D)); [|rewrite sum_scale_r, Hw1; lra].
  apply sum_le; intros i Hi; rewrite sum_scale; apply Rmult_le_compat_l; [apply Hw; assumption|].
  destruct (Hps i Hi); apply (HD (ps i)); assumption.
Qed.

(* A private mechanism errs under the uniform distribution at least so often. *)
Lemma private_errs : forall n Q eps, (2 <= n)%nat -> is_mechanism n n Q -> private n Q eps ->
  (INR n - 1) * (1 - errs n (fun _ => / INR n) Q) <= exp eps * errs n (fun _ => / INR n) Q.
Proof.
  intros n Q eps Hn HQ HP.
  assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  rewrite errs_diagonal by (try apply uniform_law; try assumption; lia).
  set (T := sum n (fun x => Q x x)).
  rewrite (sum_scale n (/ INR n) (fun x => Q x x)); fold T.
  (* what is not on the diagonal, added up by rows and by columns *)
  set (off := sum n (fun x => sum n (fun y => if Nat.eqb x y then 0 else Q x y))).
  assert (R : off = INR n - T).
  { unfold off, T; rewrite <- (Rmult_1_r (INR n)), <- (sum_const n 1), <- sum_minus; apply sum_ext; intros x Hx.
    rewrite <- (proj2 HQ x Hx), (sum_but n x (Q x)) by assumption.
    rewrite (sum_ext n (fun y => if Nat.eqb x y then 0 else Q x y) (fun y => if Nat.eqb y x then 0 else Q x y)); [lra|].
    intros y _; rewrite Nat.eqb_sym; reflexivity. }
  assert (C : (INR n - 1) * T <= exp eps * off).
  { unfold T, off; rewrite sum_swap, <- !sum_scale; apply sum_le; intros y Hy.
    rewrite <- sum_scale; replace ((INR n - 1) * Q y y) with (sum n (fun x => if Nat.eqb x y then 0 else Q y y)).
    - apply sum_le; intros x Hx; destruct (Nat.eqb_spec x y) as [|Hne]; [lra|].
      apply (private_entries n Q eps y x y); auto.
    - assert (E := sum_but n y (fun _ => Q y y) Hy); rewrite sum_const in E; lra. }
  rewrite R in C.
  apply Rmult_le_reg_l with (INR n); [assumption|].
  replace (INR n * ((INR n - 1) * (1 - (1 - / INR n * T)))) with ((INR n - 1) * T) by (field; lra).
  replace (INR n * (exp eps * (1 - / INR n * T))) with (exp eps * (INR n - T)) by (field; lra).
  exact C.
Qed.

(* Theorem 1: for sources of Class I the least loss at the distortion D < (n-1)/n is log ((n-1)(1-D)/D). *)
Theorem kalantari_theorem_1 : forall n S D, (2 <= n)%nat -> class_one n S -> 0 < D < (INR n - 1) / INR n ->
  let least := ln ((INR n - 1) * (1 - D) / D) in
  (exists Q, is_mechanism n n Q /\ private n Q least /\ forall p, S p -> is_law n p -> errs n p Q <= D) /\
  (forall Q eps, is_mechanism n n Q -> private n Q eps -> (forall p, S p -> is_law n p -> errs n p Q <= D) -> least <= eps).
Proof.
  intros n S D Hn HS [D0 D1] least.
  assert (N : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; assumption).
  assert (D2 : D * INR n < INR n - 1).
  { apply Rmult_lt_compat_r with (r := INR n) in D1; [|lra].
    unfold Rdiv in D1; rewrite Rmult_assoc, Rinv_l, Rmult_1_r in D1 by lra; exact D1. }
  assert (D3 : D < 1).
  { apply Rmult_lt_reg_r with (INR n); lra. }
  assert (G : 0 < (INR n - 1) * (1 - D) / D) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption]).
  split.
  - set (b := D / (INR n - 1)).
    assert (B : 0 < b) by (apply Rdiv_lt_0_compat; lra).
    assert (Eb : (INR n - 1) * b = D) by (unfold b; field; lra).
    assert (GB : exp least * b = 1 - D) by (unfold least; rewrite exp_ln by assumption; unfold b; field; lra).
    assert (BD : b <= 1 - D).
    { apply Rmult_le_reg_l with (INR n - 1); [lra|]; rewrite Eb; lra. }
    assert (G1 : 1 <= exp least).
    { apply Rmult_le_reg_r with b; [assumption|]; lra. }
    assert (HQ : is_mechanism n n (response (1 - D) b)).
    { split; [intros x y _ _; unfold response; destruct (Nat.eqb x y); lra|].
      intros x Hx; rewrite response_rows by assumption; lra. }
    exists (response (1 - D) b); split; [exact HQ|split].
    + apply private_of_entries; intros x x' y _ _ _ _; unfold response.
      assert (b <= exp least * b) by (rewrite GB; lra).
      assert (1 - D <= exp least * (1 - D)) by (rewrite <- (Rmult_1_l (1 - D)) at 1; apply Rmult_le_compat_r; lra).
      destruct (Nat.eqb x y), (Nat.eqb x' y); lra.
    + intros p _ Hp; rewrite errs_diagonal by assumption.
      rewrite (sum_ext _ _ (fun x => p x * (1 - D))) by (intros; unfold response; rewrite Nat.eqb_refl; reflexivity).
      rewrite sum_scale_r, (proj2 Hp); lra.
  - intros Q eps HQ HP HD; assert (U := errs_uniform n S Q D HS HQ HD).
    assert (K := private_errs n Q eps Hn HQ HP); set (e := errs n (fun _ => / INR n) Q) in *.
    apply ln_le_of; [assumption|].
    assert (E0 : 0 < exp eps) by apply exp_pos.
    apply Rmult_le_reg_r with D; [assumption|].
    replace ((INR n - 1) * (1 - D) / D * D) with ((INR n - 1) * (1 - D)) by (field; lra).
    apply Rle_trans with ((INR n - 1) * (1 - e)); [apply Rmult_le_compat_l; lra|].
    eapply Rle_trans; [exact K|apply Rmult_le_compat_l; lra].
Qed.

(* Theorem 2(a): outputs that are never given cost at least their probability. *)
Theorem kalantari_theorem_2a : forall n p Q (left_out : nat -> bool), is_law n p -> is_mechanism n n Q ->
  (forall x y, (x < n)%nat -> (y < n)%nat -> left_out y = true -> Q x y = 0) ->
  chance n p left_out <= errs n p Q.
Proof.
  intros n p Q out Hp HQ H; rewrite errs_diagonal by assumption.
  rewrite <- (proj2 Hp), <- sum_minus; unfold chance; apply sum_le; intros x Hx.
  destruct (out x) eqn:E; [rewrite (H x x) by assumption; lra|].
  assert (Q x x <= 1).
  { rewrite <- (proj2 HQ x Hx); apply (sum_pos n (Q x)); [intros; apply HQ; assumption|assumption]. }
  assert (0 <= p x * (1 - Q x x)) by (apply Rmult_le_pos; [apply Hp; assumption|lra]); lra.
Qed.

(* From D = (n-1)/n on, any answer at random does. *)
Theorem kalantari_theorem_1_beyond : forall n D, (1 <= n)%nat -> (INR n - 1) / INR n <= D ->
  exists Q, is_mechanism n n Q /\ private n Q 0 /\ forall p, is_law n p -> errs n p Q <= D.
Proof.
  intros n D Hn HD; assert (N : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat; lra).
  assert (HQ : is_mechanism n n (fun _ _ => / INR n)).
  { split; [intros; lra|intros; rewrite sum_const; field; lra]. }
  exists (fun _ _ => / INR n); split; [exact HQ|split].
  - apply private_of_entries; intros; rewrite exp_0; lra.
  - intros p Hp; rewrite errs_diagonal, sum_scale_r, (proj2 Hp) by assumption.
    unfold Rdiv in HD; rewrite Rmult_minus_distr_r, Rinv_r in HD by lra; lra.
Qed.

(* Theorem 2(a) in the paper's words: if the probabilities decrease, leaving out k outputs, whichever they are, costs at least
   what the k rarest letters weigh. *)
Theorem kalantari_theorem_2a_ordered : forall n p Q (left_out : nat -> bool) k, is_law n p -> decreasing n p ->
  is_mechanism n n Q -> (forall x y, (x < n)%nat -> (y < n)%nat -> left_out y = true -> Q x y = 0) ->
  (k <= count n left_out)%nat -> sum n p - sum (n - k) p <= errs n p Q.
Proof.
  intros n p Q out k Hp Hd HQ H Hk.
  eapply Rle_trans; [|apply (kalantari_theorem_2a n p Q out); assumption].
  set (kept := fun x => negb (out x)).
  assert (T : chance n p out + chance n p kept = sum n p).
  { unfold chance, kept; rewrite <- sum_plus; apply sum_ext; intros x _; destruct (out x); simpl; lra. }
  assert (C : forall m, (count m out + count m kept = m)%nat).
  { induction m; simpl; [reflexivity|]; unfold kept at 2; destruct (out m); simpl; lia. }
  assert (B := first_letters_best n p kept Hd).
  assert (L : sum (count n kept) p <= sum (n - k) p).
  { specialize (C n); replace (n - k)%nat with (count n kept + (n - k - count n kept))%nat by lia.
    assert (W : forall j, (count n kept + j <= n)%nat -> sum (count n kept) p <= sum (count n kept + j) p).
    { induction j; intro J; [rewrite Nat.add_0_r; lra|]; rewrite Nat.add_succ_r; simpl.
      assert (0 <= p (count n kept + j)%nat) by (apply Hp; lia); specialize (IHj ltac:(lia)); lra. }
    apply W; lia. }
  lra.
Qed.

(* Theorem 2(b), equation (10) with k = 0 and the condition D_1 <= D_i <= 1 that it lacks: where letter 0 is a likeliest one under
   every distribution of the source, a mechanism with loss eps >= 0 and distortion D exists if and only if there are distortions
   d_i of the letters with sum p_i d_i <= D, sum d_i <= M - 1 and (M - 1) - sum_(i >= 2) d_i <= e^eps d_1. *)
Definition by_letters (n : nat) (eps : R) (d : nat -> R) : Prop :=
  (forall x, (x < n)%nat -> 0 <= d 0%nat <= d x /\ d x <= 1) /\ sum n d <= INR n - 1 /\
  INR n - 1 - (sum n d - d 0%nat) <= exp eps * d 0%nat.

Definition swapped (i : nat) (b : nat -> R) (x : nat) : R :=
  if Nat.eqb x 0 then b i else if Nat.eqb x i then b 0%nat else b x.

Lemma sum_weighted_swap : forall n i w b, (i < n)%nat -> i <> 0%nat ->
  sum n (fun x => w x * swapped i b x) = sum n (fun x => w x * b x) + (w 0%nat - w i) * (b i - b 0%nat).
Proof.
  intros n i w b Hi H0.
  rewrite (sum_ext _ _ (fun x => w x * b x + at_place 0 (b i - b 0%nat) x * w x + at_place i (b 0%nat - b i) x * w x)).
  - rewrite !sum_plus, (sum_at_place n 0 (b i - b 0%nat) w), (sum_at_place n i (b 0%nat - b i) w) by lia; ring.
  - intros x _; unfold swapped, at_place; destruct (Nat.eqb_spec x 0) as [E|E]; destruct (Nat.eqb_spec x i) as [F|F]; subst; try ring.
Qed.

Theorem kalantari_theorem_2b : forall n S eps D, (1 <= n)%nat -> 0 <= eps ->
  (forall p, S p -> is_law n p /\ forall x, (x < n)%nat -> p x <= p 0%nat) ->
  (exists Q, is_mechanism n n Q /\ private n Q eps /\ forall p, S p -> errs n p Q <= D) <->
  (exists d, by_letters n eps d /\ forall p, S p -> sum n (fun x => p x * d x) <= D).
Proof.
  intros n S eps D Hn He HS; set (g := exp eps).
  assert (G : 1 <= g) by (unfold g; rewrite <- exp_0; apply exp_le; assumption).
  split.
  - intros [Q [HQ [HP HD]]].
    set (b := fun x => Q x x).
    assert (b0 : forall x, (x < n)%nat -> 0 <= b x) by (intros; apply HQ; assumption).
    assert (b1 : forall x, (x < n)%nat -> b x <= 1).
    { intros x Hx; unfold b; rewrite <- (proj2 HQ x Hx); apply (sum_pos n (Q x)); [intros; apply HQ; assumption|assumption]. }
    destruct (largest_attained n b ltac:(lia) b0) as [i [Hi E]].
    assert (M : forall x, (x < n)%nat -> b x <= b i) by (intros; rewrite <- E; apply largest_ge; assumption).
    (* the largest entry of the diagonal goes to the likeliest letter *)
    set (a := if Nat.eqb i 0 then b else swapped i b).
    assert (a_max : a 0%nat = b i) by (unfold a, swapped; destruct (Nat.eqb_spec i 0) as [->|]; reflexivity).
    assert (a_in : forall x, (x < n)%nat -> exists z, (z < n)%nat /\ a x = b z).
    { intros x Hx; unfold a, swapped; destruct (Nat.eqb i 0); [exists x; auto|].
      destruct (Nat.eqb x 0); [exists i; auto|]; destruct (Nat.eqb x i); [exists 0%nat; split; [lia|reflexivity]|exists x; auto]. }
    assert (a_sum : sum n a = sum n b).
    { unfold a; destruct (Nat.eqb_spec i 0) as [|Hne]; [reflexivity|].
      rewrite (sum_ext n (swapped i b) (fun x => 1 * swapped i b x)), (sum_ext n b (fun x => 1 * b x)) by (intros; ring).
      rewrite (sum_weighted_swap n i (fun _ => 1) b Hi Hne); ring. }
    assert (a_mean : forall p, (forall x, (x < n)%nat -> p x <= p 0%nat) ->
      sum n (fun x => p x * b x) <= sum n (fun x => p x * a x)).
    { intros p Hp; unfold a; destruct (Nat.eqb_spec i 0) as [|Hne]; [lra|].
      rewrite (sum_weighted_swap n i p b Hi Hne).
      assert (0 <= (p 0%nat - p i) * (b i - b 0%nat)); [|lra].
      apply Rmult_le_pos; [specialize (Hp i Hi); lra|assert (b 0%nat <= b i) by (apply M; lia); lra]. }
    assert (K := diagonal_bound n Q eps i HQ HP Hi); fold g in K; change (sum n (fun y => Q y y)) with (sum n b) in K;
      change (Q i i) with (b i) in K.
    (* what the diagonal leaves below one goes there too *)
    set (r := Rmax 0 (1 - sum n a)); assert (R0 : 0 <= r) by apply Rmax_l.
    set (d := fun x => 1 - a x - at_place 0 r x * 1).
    assert (d_0 : d 0%nat = 1 - b i - r) by (unfold d, at_place; rewrite a_max; simpl; ring).
    assert (d_x : forall x, x <> 0%nat -> d x = 1 - a x) by (intros x Hx; unfold d, at_place; destruct (Nat.eqb_spec x 0); [contradiction|ring]).
    assert (S1 : sum n (fun x => at_place 0 r x * 1) = r) by (rewrite (sum_at_place n 0 r (fun _ => 1)) by lia; ring).
    assert (d_sum : sum n d = INR n - sum n a - r).
    { unfold d; rewrite sum_minus, S1, sum_minus, sum_const; ring. }
    assert (i_sum : b i <= sum n b) by (apply (sum_pos n b); assumption).
    assert (r_le : b i + r <= 1).
    { unfold r, Rmax; destruct (Rle_dec 0 (1 - sum n a)); [rewrite a_sum; lra|specialize (b1 i Hi); lra]. }
    assert (r_ge : 1 <= sum n a + r) by (assert (T := Rmax_r 0 (1 - sum n a)); fold r in T; lra).
    exists d; split; [split; [|split]|].
    + intros x Hx; rewrite d_0; destruct (a_in x Hx) as [z [Hz Ez]]; assert (Mz := M z Hz); assert (Bz := b0 z Hz).
      destruct (Nat.eq_dec x 0) as [->|Hne]; [rewrite d_0; specialize (b0 i Hi); lra|].
      rewrite (d_x x Hne), Ez; lra.
    + lra.
    + fold g; rewrite d_sum, d_0, a_sum.
      unfold r, Rmax; destruct (Rle_dec 0 (1 - sum n a)) as [C|C]; [rewrite a_sum|].
      * assert (0 <= (g - 1) * (sum n b - b i)) by (apply Rmult_le_pos; lra); lra.
      * lra.
    + intros p Sp; destruct (HS p Sp) as [Hp Hm]; specialize (HD p Sp); rewrite errs_diagonal in HD by assumption.
      change (sum n (fun x => p x * Q x x)) with (sum n (fun x => p x * b x)) in HD; assert (A := a_mean p Hm).
      unfold d; rewrite (sum_ext _ _ (fun x => p x - p x * a x - at_place 0 r x * p x)) by (intros; ring).
      rewrite !sum_minus, (proj2 Hp), (sum_at_place n 0 r p) by lia.
      assert (0 <= r * p 0%nat) by (apply Rmult_le_pos; [assumption|apply Hp; lia]); lra.
  - intros [d [[Hd [Hs Hg]] HD]]; fold g in Hg.
    set (a := fun x => 1 - d x); set (A := sum n a).
    assert (EA : A = INR n - sum n d) by (unfold A, a; rewrite sum_minus, sum_const; ring).
    assert (a0 : forall x, (x < n)%nat -> 0 <= a x <= a 0%nat /\ a x <= 1).
    { intros x Hx; destruct (Hd x Hx) as [[? ?] ?]; unfold a; lra. }
    assert (aA : forall x, (x < n)%nat -> a x <= A) by (intros; apply (sum_pos n a); [intros y Hy; apply a0; assumption|assumption]).
    (* the rest of a row is spread over the other outputs as the diagonal is *)
    set (theta := fun x => if Rle_dec (A - a x) 0 then 1 else (1 - a x) / (A - a x)).
    assert (T : forall x, (x < n)%nat -> / g <= theta x <= 1 /\ theta x * (A - a x) = 1 - a x).
    { intros x Hx; destruct (a0 x Hx) as [[? ?] ?]; assert (L := aA x Hx); unfold theta.
      assert (I : / g <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
      destruct (Rle_dec (A - a x) 0) as [C|C]; [split; [lra|]; lra|].
      split; [|field; lra]; split.
      - apply Rmult_le_reg_r with (g * (A - a x)); [apply Rmult_lt_0_compat; lra|].
        replace (/ g * (g * (A - a x))) with (A - a x) by (field; lra).
        replace ((1 - a x) / (A - a x) * (g * (A - a x))) with (g * (1 - a x)) by (field; lra).
        assert (W : A - a 0%nat <= g * (1 - a 0%nat)) by (unfold a; lra).
        assert (0 <= (g - 1) * (a 0%nat - a x)) by (apply Rmult_le_pos; lra); lra.
      - apply Rmult_le_reg_r with (A - a x); [lra|]; replace ((1 - a x) / (A - a x) * (A - a x)) with (1 - a x) by (field; lra); lra. }
    set (Q := fun x y => if Nat.eqb y x then a y else a y * theta x).
    assert (HQ : is_mechanism n n Q).
    { split.
      - intros x y Hx Hy; destruct (a0 y Hy) as [[? ?] ?]; destruct (T x Hx) as [[T1 _] _]; unfold Q; destruct (Nat.eqb y x); [lra|].
        apply Rmult_le_pos; [lra|]; assert (0 < / g) by (apply Rinv_0_lt_compat; lra); lra.
      - intros x Hx; destruct (T x Hx) as [_ T2]; rewrite (sum_but n x) by assumption; unfold Q at 1; rewrite Nat.eqb_refl.
        rewrite (sum_ext _ _ (fun y => (if Nat.eqb y x then 0 else a y) * theta x))
          by (intros y _; unfold Q; destruct (Nat.eqb y x); ring).
        rewrite sum_scale_r; assert (E := sum_but n x a Hx); fold A in E.
        replace (sum n (fun j => if Nat.eqb j x then 0 else a j)) with (A - a x) by lra; lra. }
    exists Q; split; [exact HQ|split].
    + apply private_of_entries; intros x x' y Hx Hx' Hy Hne; fold g; destruct (a0 y Hy) as [[Ay _] _].
      destruct (T x Hx) as [[_ T1] _]; destruct (T x' Hx') as [[T2 T3] _].
      assert (T4 : 1 <= g * theta x') by (apply Rmult_le_compat_l with (r := g) in T2; [rewrite Rinv_r in T2; lra|lra]).
      assert (H1 : a y <= g * (a y * theta x')).
      { replace (g * (a y * theta x')) with (a y * (g * theta x')) by ring.
        rewrite <- (Rmult_1_r (a y)) at 1; apply Rmult_le_compat_l; assumption. }
      assert (H2 : a y * theta x <= a y) by (rewrite <- (Rmult_1_r (a y)) at 2; apply Rmult_le_compat_l; assumption).
      assert (H3 : a y <= g * a y) by (rewrite <- (Rmult_1_l (a y)) at 1; apply Rmult_le_compat_r; lra).
      unfold Q; destruct (Nat.eqb_spec y x), (Nat.eqb_spec y x'); try lra.
    + intros p Sp; destruct (HS p Sp) as [Hp _]; specialize (HD p Sp); rewrite errs_diagonal by assumption.
      rewrite (sum_ext _ _ (fun x => p x - p x * d x)) by (intros x _; unfold Q; rewrite Nat.eqb_refl; unfold a; ring).
      rewrite sum_minus, (proj2 Hp); lra.
Qed.

(* Theorem 2(b), equation (9), first line: below D^(1), the largest probability of the rarest letter, the symmetric mechanism is
   best, whatever the order. *)
Theorem kalantari_theorem_2b_first : forall n (S : (nat -> R) -> Prop) D p, (2 <= n)%nat -> S p -> is_law n p -> 0 < D ->
  (forall x, (x < n)%nat -> D < p x) ->
  let least := ln ((INR n - 1) * (1 - D) / D) in
  (exists Q, is_mechanism n n Q /\ private n Q least /\ forall p, S p -> is_law n p -> errs n p Q <= D) /\
  (forall Q eps, is_mechanism n n Q -> private n Q eps -> (forall p, S p -> is_law n p -> errs n p Q <= D) -> least <= eps).
Proof.
  intros n S D p Hn Sp Hp D0 HD least.
  assert (N : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; assumption).
  assert (U : D * INR n < 1).
  { rewrite <- (proj2 Hp), Rmult_comm, <- (sum_const n D).
    assert (L : sum n (fun _ => D) <= sum n p) by (apply sum_le; intros x Hx; specialize (HD x Hx); lra).
    destruct L as [|L]; [assumption|exfalso].
    assert (Z : forall x, (x < n)%nat -> p x - D = 0).
    { apply (sum_vanishes n (fun x => p x - D)); [intros x Hx; specialize (HD x Hx); lra|rewrite sum_minus; lra]. }
    specialize (Z 0%nat ltac:(lia)); specialize (HD 0%nat ltac:(lia)); lra. }
  assert (D1 : D < 1) by (apply Rmult_lt_reg_r with (INR n); lra).
  assert (G : 0 < (INR n - 1) * (1 - D) / D) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption]).
  assert (P : 0 < least).
  { unfold least; rewrite <- ln_1; apply ln_increasing; [lra|].
    apply Rmult_lt_reg_r with D; [assumption|]; replace ((INR n - 1) * (1 - D) / D * D) with ((INR n - 1) * (1 - D)) by (field; lra).
    lra. }
  split.
  - destruct (kalantari_theorem_1 n (fun _ => True) D Hn) as [[Q [HQ [HP HE]]] _].
    + exists 1%nat, (fun _ => 1), (fun _ _ => / INR n); split; [split; [intros; lra|simpl; lra]|split].
      * intros _ _; split; [exact I|apply uniform_law; lia].
      * intros x _; simpl; ring.
    + split; [assumption|]; apply Rmult_lt_reg_r with (INR n); [lra|].
      replace ((INR n - 1) / INR n * INR n) with (INR n - 1) by (field; lra); lra.
    + exists Q; split; [assumption|split; [assumption|auto]].
  - assert (Main : forall Q eps, is_mechanism n n Q -> 0 < eps -> private n Q eps -> errs n p Q <= D -> least <= eps).
    { intros Q eps HQ He HP HE.
      destruct (proj1 (zhong_theorem_13 n p eps D Hp He)) as [T [[t [Ht Tt]] H]]; [exists Q; auto|].
      assert (Full : forall x, (x < n)%nat -> T x = true).
      { intros x Hx; destruct (T x) eqn:E; [reflexivity|exfalso].
        assert (C : chance n p T <= 1 - p x).
        { rewrite <- (proj2 Hp), (sum_but n x p Hx); unfold chance; ring_simplify.
          rewrite (sum_but n x (fun y => if T y then p y else 0) Hx), E; ring_simplify.
          apply sum_le; intros y Hy; destruct (Nat.eqb y x); [lra|].
          assert (0 <= p y) by (apply Hp; assumption); destruct (T y); lra. }
        specialize (HD x Hx); assert (S1 := size_ge_1 n T (ex_intro _ t (conj Ht Tt))).
        assert (0 <= (size n T - 1) * (1 - D)) by (apply Rmult_le_pos; lra).
        assert (0 < exp eps * ((1 - D) - chance n p T)) by (apply Rmult_lt_0_compat; [apply exp_pos|lra]); lra. }
      assert (E1 : chance n p T = 1) by (rewrite <- (proj2 Hp); unfold chance; apply sum_ext; intros x Hx; rewrite Full by assumption; reflexivity).
      assert (E2 : size n T = INR n).
      { unfold size, chance; rewrite (sum_ext _ _ (fun _ => 1)) by (intros x Hx; rewrite Full by assumption; reflexivity).
        rewrite sum_const; ring. }
      rewrite E1, E2 in H; apply ln_le_of; [assumption|].
      apply Rmult_le_reg_r with D; [assumption|].
      replace ((INR n - 1) * (1 - D) / D * D) with ((INR n - 1) * (1 - D)) by (field; lra); lra. }
    intros Q eps HQ HP HE; specialize (HE p Sp Hp).
    destruct (Rlt_le_dec 0 eps) as [He|He]; [apply (Main Q eps); assumption|exfalso].
    assert (K : least <= least / 2); [|lra].
    apply (Main Q); [assumption|lra| |assumption].
    apply private_of_entries; intros x x' y Hx Hx' Hy Hne.
    eapply Rle_trans; [apply (private_entries n Q eps x x' y); assumption|].
    apply Rmult_le_compat_r; [apply HQ; assumption|apply exp_le; lra].
Qed.

(* Equation (9), last line: loss zero from D^(M-1) on, and not before. *)
Theorem kalantari_theorem_2b_zero : forall n (S : (nat -> R) -> Prop) D, (1 <= n)%nat ->
  (forall p, S p -> is_law n p /\ forall x, (x < n)%nat -> p x <= p 0%nat) ->
  (exists Q, is_mechanism n n Q /\ private n Q 0 /\ forall p, S p -> errs n p Q <= D) <->
  (forall p, S p -> 1 - p 0%nat <= D).
Proof.
  intros n S D Hn HS; split.
  - intros [Q [HQ [HP HD]]] p Sp; destruct (HS p Sp) as [Hp Hm].
    destruct (proj1 (zhong_theorem_13_zero n p D Hp)) as [x [Hx H]]; [exists Q; auto|].
    specialize (Hm x Hx); lra.
  - intros H; exists (fun _ y => if Nat.eqb y 0 then 1 else 0).
    assert (HQ : is_mechanism n n (fun _ y => if Nat.eqb y 0 then 1 else 0)).
    { split; [intros _ y _ _; destruct (Nat.eqb y 0); lra|intros _ _; apply sum_single; lia]. }
    split; [assumption|split; [apply private_of_entries; intros; rewrite exp_0; lra|]].
    intros p Sp; destruct (HS p Sp) as [Hp _]; rewrite errs_diagonal by assumption.
    rewrite (sum_ext _ _ (fun y => at_place 0 1 y * p y)) by (intros y _; unfold at_place; destruct (Nat.eqb y 0); ring).
    rewrite (sum_at_place n 0 1 p) by lia; specialize (H p Sp); lra.
Qed.
