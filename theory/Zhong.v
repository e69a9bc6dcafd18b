(* Zhong and Bu (2022), Theorem 13, as corrected, for every number of letters: what privacy costs under one known distribution p.

   A mechanism with loss eps > 0 and distortion D exists if and only if some set S of outputs has
   (|S| - 1)(1 - D) <= e^eps (p(S) - (1 - D)). For each size the likeliest letters are best: if p decreases, with the k - 1 rarest
   letters left out this is the paper's e^eps >= (m - k)(1 - D) / (D - D^(k-1)). Loss 0 is possible if and only if 1 - D is at
   most the largest probability, which corrects the paper at D = D^(m-1). *)

From Coq Require Import Reals Lra Lia Arith List Bool Classical QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Levels Bounds Hamming.
Open Scope R_scope.

Definition size (n : nat) (S : nat -> bool) : R := chance n (fun _ => 1) S.
Definition nonempty (n : nat) (S : nat -> bool) : Prop := exists x, (x < n)%nat /\ S x = true.
Definition cost_of (n : nat) (p : nat -> R) (g : R) (S : nat -> bool) : R := 1 - g * chance n p S / (g + size n S - 1).

Lemma size_ge_1 : forall n S, nonempty n S -> 1 <= size n S.
Proof.
  intros n S [x [Hx Sx]]; unfold size, chance.
  apply Rle_trans with (if S x then 1 else 0); [rewrite Sx; lra|].
  apply (sum_pos n (fun y => if S y then 1 else 0)); [intros y _; destruct (S y); lra|assumption].
Qed.

(* What privacy leaves to the diagonal: (g - 1) Q(x|x) + sum of the diagonal <= g. *)
Lemma diagonal_bound : forall n Q eps x, is_mechanism n n Q -> private n Q eps -> (x < n)%nat ->
  (exp eps - 1) * Q x x + sum n (fun y => Q y y) <= exp eps.
Proof.
  intros n Q eps x HQ HP Hx.
  rewrite (sum_but n x (fun y => Q y y)) by assumption.
  assert (R := proj2 HQ x Hx); rewrite (sum_but n x (Q x)) in R by assumption.
  assert (K : sum n (fun y => if Nat.eqb y x then 0 else Q y y) <= exp eps * sum n (fun y => if Nat.eqb y x then 0 else Q x y)).
  { rewrite <- sum_scale; apply sum_le; intros y Hy; destruct (Nat.eqb_spec y x); [lra|].
    apply (private_entries n Q eps y x y); auto. }
  replace (sum n (fun y => if Nat.eqb y x then 0 else Q x y)) with (1 - Q x x) in K by lra.
  lra.
Qed.

Theorem zhong_theorem_13_converse : forall n p Q eps, is_law n p -> is_mechanism n n Q -> 0 < eps -> private n Q eps ->
  exists S, nonempty n S /\ cost_of n p (exp eps) S <= errs n p Q.
Proof.
  intros n p Q eps Hp HQ He HP; apply NNPP; intro C.
  set (g := exp eps) in *.
  assert (G : 1 < g) by (unfold g; rewrite <- exp_0; apply exp_increasing; assumption).
  rewrite errs_diagonal in C by assumption.
  set (b := fun x => Q x x); set (right := sum n (fun x => p x * Q x x)) in *; set (B := sum n b).
  set (U := right / g).
  assert (EU : g * U = right) by (unfold U; field; lra).
  assert (P : forall S, nonempty n S -> chance n p S < U * (g + size n S - 1)).
  { intros S HS; assert (S1 := size_ge_1 n S HS).
    destruct (Rlt_le_dec (chance n p S) (U * (g + size n S - 1))) as [|H]; [assumption|exfalso].
    apply C; exists S; split; [assumption|]; unfold cost_of.
    apply Ropp_le_cancel; ring_simplify; apply Rplus_le_compat_r.
    apply Rmult_le_reg_r with (g + size n S - 1); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite <- EU, Rmult_assoc; apply Rmult_le_compat_l; lra. }
  assert (b0 : forall x, (x < n)%nat -> 0 <= b x) by (intros; apply HQ; assumption).
  assert (U0 : 0 <= U).
  { apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra].
    apply sum_nonneg; intros; apply Rmult_le_pos; [apply Hp|apply b0]; assumption. }
  set (t := (g - B) / (g - 1)).
  assert (T : forall x, (x < n)%nat -> b x <= t).
  { intros x Hx; assert (K := diagonal_bound n Q eps x HQ HP Hx); fold g in K; change (sum n (fun y => Q y y)) with B in K.
    unfold t; apply Rmult_le_reg_r with (g - 1); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; unfold b; lra. }
  assert (Et : (g - 1) * t = g - B) by (unfold t; field; lra).
  assert (t0 : 0 < t).
  { destruct (Rlt_le_dec 0 t) as [|H]; [assumption|exfalso].
    assert (B <= 0).
    { unfold B; rewrite <- (Rmult_0_r (INR n)), <- (sum_const n 0); apply sum_le; intros x Hx; specialize (T x Hx); lra. }
    assert (0 <= (g - 1) * - t) by (apply Rmult_le_pos; lra); lra. }
  (* the letters that are likelier than U *)
  set (S := fun x => if Rlt_dec U (p x) then true else false).
  assert (A : right <= sum n (fun x => if S x then (p x - U) * t else 0) + U * B).
  { unfold right, B; rewrite <- sum_scale, <- sum_plus; apply sum_le; intros x Hx.
    specialize (T x Hx); specialize (b0 x Hx); unfold S; destruct (Rlt_dec U (p x)).
    - assert ((p x - U) * b x <= (p x - U) * t) by (apply Rmult_le_compat_l; lra); unfold b in *; lra.
    - assert (0 <= (U - p x) * b x) by (apply Rmult_le_pos; lra); unfold b in *; lra. }
  assert (E : sum n (fun x => if S x then (p x - U) * t else 0) = (chance n p S - size n S * U) * t).
  { rewrite (sum_ext _ _ (fun x => ((if S x then p x else 0) - (if S x then 1 else 0) * U) * t))
      by (intros x _; destruct (S x); ring).
    rewrite sum_scale_r, sum_minus, sum_scale_r; reflexivity. }
  rewrite E in A.
  destruct (classic (nonempty n S)) as [HS|HS].
  - assert (K := P S HS).
    assert ((chance n p S - size n S * U) * t < U * (g - 1) * t) by (apply Rmult_lt_compat_r; lra).
    assert (U * (g - 1) * t = U * (g - B)) by (rewrite <- Et; ring); lra.
  - assert (N : forall x, (x < n)%nat -> p x <= U).
    { intros x Hx; destruct (Rle_lt_dec (p x) U); [assumption|exfalso; apply HS; exists x; split; [assumption|]].
      unfold S; destruct (Rlt_dec U (p x)); [reflexivity|contradiction]. }
    assert (Z : chance n p S - size n S * U = 0).
    { change (sum n (fun x => if S x then p x else 0) - sum n (fun x => if S x then 1 else 0) * U = 0).
      rewrite <- sum_scale_r, <- sum_minus; apply sum_zero; intros x Hx; specialize (N x Hx).
      unfold S; destruct (Rlt_dec U (p x)); lra. }
    rewrite Z in A.
    assert (Up : 0 < U).
    { destruct U0 as [|U0]; [assumption|exfalso].
      assert (sum n p <= sum n (fun _ => 0)) by (apply sum_le; intros x Hx; rewrite U0; apply N; assumption).
      rewrite sum_const, (proj2 Hp) in H; lra. }
    assert (B < g) by (assert (0 < (g - 1) * t) by (apply Rmult_lt_0_compat; lra); lra).
    assert (U * B < U * g) by (apply Rmult_lt_compat_l; lra); lra.
Qed.

(* Each set is attained: answer within S, the truth e^eps times as likely as any other letter of S. *)
Definition within (n : nat) (g : R) (S : nat -> bool) (x y : nat) : R :=
  if S y then (if S x then (if Nat.eqb x y then g else 1) / (g + size n S - 1) else / size n S) else 0.

Theorem zhong_theorem_13_attained : forall n p eps S, is_law n p -> 0 < eps -> nonempty n S ->
  exists Q, is_mechanism n n Q /\ private n Q eps /\ errs n p Q = cost_of n p (exp eps) S.
Proof.
  intros n p eps S Hp He HS; set (g := exp eps).
  assert (G : 1 < g) by (unfold g; rewrite <- exp_0; apply exp_increasing; assumption).
  assert (K := size_ge_1 n S HS); set (k := size n S) in *; set (w := g + k - 1).
  assert (W : 0 < w) by (unfold w; lra).
  assert (HQ : is_mechanism n n (within n g S)).
  { unfold within; fold k; fold w; split.
    - intros x y _ _; destruct (S y); [|lra]; destruct (S x).
      + apply Rmult_le_pos; [destruct (Nat.eqb x y); lra|apply Rlt_le, Rinv_0_lt_compat; assumption].
      + apply Rlt_le, Rinv_0_lt_compat; lra.
    - intros x Hx; destruct (S x) eqn:Sx.
      + assert (E : sum n (fun y => if S y then 1 else 0) = k) by reflexivity.
        rewrite (sum_but n x) in E by assumption; rewrite Sx in E.
        rewrite (sum_but n x) by assumption; rewrite Sx, Nat.eqb_refl.
        rewrite (sum_ext _ _ (fun y => / w * (if Nat.eqb y x then 0 else if S y then 1 else 0))).
        * rewrite sum_scale; replace (sum n (fun y => if Nat.eqb y x then 0 else if S y then 1 else 0)) with (k - 1) by lra.
          unfold w; field; unfold w in W; lra.
        * intros y _; rewrite (Nat.eqb_sym x y); destruct (Nat.eqb y x); [ring|destruct (S y); [unfold Rdiv|]; ring].
      + rewrite (sum_ext _ _ (fun y => / k * (if S y then 1 else 0))) by (intros y _; destruct (S y); ring).
        rewrite sum_scale; change (sum n (fun y => if S y then 1 else 0)) with k; field; lra. }
  exists (within n g S); split; [exact HQ|split].
  - apply private_of_entries; intros x x' y Hx Hx' Hy _; fold g; unfold within; fold k; fold w.
    destruct (S y); [|lra].
    assert (I0 : 0 < / w) by (apply Rinv_0_lt_compat; assumption).
    assert (I1 : 0 < / k) by (apply Rinv_0_lt_compat; lra).
    assert (Lo : / w <= / k) by (apply Rinv_le_contravar; [lra|unfold w; lra]).
    assert (Hi : / k <= g * / w).
    { apply Rmult_le_reg_r with (k * w); [apply Rmult_lt_0_compat; lra|].
      replace (/ k * (k * w)) with w by (field; lra); replace (g * / w * (k * w)) with (g * k) by (field; lra).
      unfold w; assert (0 <= (g - 1) * (k - 1)) by (apply Rmult_le_pos; lra); lra. }
    assert (Gw : / w <= g * / w) by (rewrite <- (Rmult_1_l (/ w)) at 1; apply Rmult_le_compat_r; lra).
    assert (Gk : / k <= g * / k) by (rewrite <- (Rmult_1_l (/ k)) at 1; apply Rmult_le_compat_r; lra).
    assert (Gg : g * / w <= g * (g * / w)) by (apply Rmult_le_compat_l; lra).
    assert (Gx : g * / w <= g * / k) by (apply Rmult_le_compat_l; lra).
    assert (Gy : / k <= g * (g * / w)) by lra.
    unfold Rdiv; destruct (S x), (S x'); try lra; destruct (Nat.eqb x y), (Nat.eqb x' y); lra.
  - rewrite errs_diagonal by assumption; unfold cost_of; fold k; fold w; unfold chance, Rdiv.
    rewrite <- sum_scale, <- sum_scale_r; f_equal; apply sum_ext; intros x _.
    unfold within; fold k; fold w; destruct (S x); [rewrite Nat.eqb_refl; unfold Rdiv|]; ring.
Qed.

(* Both at once: a mechanism with loss eps and distortion D exists if and only if some set S of outputs has
   (|S| - 1)(1 - D) <= e^eps (p(S) - (1 - D)). So the least loss is the least log of (|S| - 1)(1 - D) / (p(S) - (1 - D)). *)
Theorem zhong_theorem_13 : forall n p eps D, is_law n p -> 0 < eps ->
  (exists Q, is_mechanism n n Q /\ private n Q eps /\ errs n p Q <= D) <->
  (exists S, nonempty n S /\ (size n S - 1) * (1 - D) <= exp eps * (chance n p S - (1 - D))).
Proof.
  intros n p eps D Hp He; set (g := exp eps).
  assert (G : 1 < g) by (unfold g; rewrite <- exp_0; apply exp_increasing; assumption).
  assert (E : forall S, nonempty n S -> cost_of n p g S <= D <->
    (size n S - 1) * (1 - D) <= g * (chance n p S - (1 - D))).
  { intros S HS; assert (K := size_ge_1 n S HS); unfold cost_of; set (w := g + size n S - 1).
    assert (W : 0 < w) by (unfold w; lra).
    assert (Q : g * chance n p S / w * w = g * chance n p S) by (field; lra).
    split; intro H.
    - assert (L : (1 - D) * w <= g * chance n p S / w * w) by (apply Rmult_le_compat_r; lra).
      rewrite Q in L; unfold w in L; lra.
    - assert (L : (1 - D) * w <= g * chance n p S / w * w) by (rewrite Q; unfold w; lra).
      apply Rmult_le_reg_r in L; lra. }
  split.
  - intros [Q [HQ [HP HD]]]; destruct (zhong_theorem_13_converse n p Q eps Hp HQ He HP) as [S [HS HC]].
    exists S; split; [assumption|]; apply E; [assumption|fold g in HC; lra].
  - intros [S [HS H]]; destruct (zhong_theorem_13_attained n p eps S Hp He HS) as [Q [HQ [HP HC]]].
    exists Q; split; [assumption|split; [assumption|]]; rewrite HC; apply E; assumption.
Qed.

(* The size of a set is a natural number, and no set of its size is likelier than the first letters. *)
Lemma size_count : forall n S, size n S = INR (count n S).
Proof.
  intros; unfold size, chance; rewrite sum_count; ring.
Qed.

Definition decreasing (n : nat) (p : nat -> R) : Prop := forall x y, (x <= y)%nat -> (y < n)%nat -> p y <= p x.

Lemma first_letters_best : forall n p S, decreasing n p -> chance n p S <= sum (count n S) p.
Proof.
  unfold chance; induction n; intros p S H; simpl; [lra|].
  assert (IH := IHn p S (fun x y Hx Hy => H x y Hx (Nat.lt_lt_succ_r _ _ Hy))).
  destruct (S n); [|rewrite Nat.add_0_r; lra].
  rewrite Nat.add_1_r; simpl; assert (p n <= p (count n S)) by (apply H; [apply count_le|lia]); lra.
Qed.

Definition first (k x : nat) : bool := Nat.ltb x k.

Lemma first_size : forall n k, (k <= n)%nat -> count n (first k) = k.
Proof.
  assert (A : forall n k, (n <= k)%nat -> count n (first k) = n).
  { induction n; intros k H; simpl; [reflexivity|]; rewrite IHn by lia; unfold first; destruct (Nat.ltb_spec n k); lia. }
  induction n; intros k H; simpl; [lia|]; destruct (Nat.eq_dec k (S n)) as [->|].
  - rewrite A by lia; unfold first; destruct (Nat.ltb_spec n (S n)); lia.
  - rewrite IHn by lia; unfold first; destruct (Nat.ltb_spec n k); lia.
Qed.

Lemma first_chance : forall n k p, (k <= n)%nat -> chance n p (first k) = sum k p.
Proof.
  assert (A : forall n k p, (n <= k)%nat -> chance n p (first k) = sum n p).
  { intros n k p H; unfold chance; apply sum_ext; intros x Hx; unfold first; destruct (Nat.ltb_spec x k); [reflexivity|lia]. }
  unfold chance in *; induction n; intros k p H; simpl; [replace k with 0%nat by lia; reflexivity|].
  destruct (Nat.eq_dec k (S n)) as [->|].
  - rewrite A by lia; unfold first; destruct (Nat.ltb_spec n (S n)); [reflexivity|lia].
  - rewrite IHn by lia; unfold first; destruct (Nat.ltb_spec n k); [lia|ring].
Qed.

(* The theorem in the paper's order of letters: k = |S| likeliest ones are kept. *)
Theorem zhong_theorem_13_ordered : forall n p eps D, is_law n p -> decreasing n p -> 0 < eps ->
  (exists Q, is_mechanism n n Q /\ private n Q eps /\ errs n p Q <= D) <->
  (exists k, (1 <= k <= n)%nat /\ (INR k - 1) * (1 - D) <= exp eps * (sum k p - (1 - D))).
Proof.
  intros n p eps D Hp Hd He; assert (G := exp_pos eps); rewrite zhong_theorem_13 by assumption; split.
  - intros [S [HS H]]; assert (K := size_ge_1 n S HS); rewrite size_count in *.
    exists (count n S); split; [split; [apply INR_le; exact K|apply count_le]|].
    eapply Rle_trans; [exact H|apply Rmult_le_compat_l; [lra|]].
    assert (B := first_letters_best n p S Hd); lra.
  - intros [k [[K1 K2] H]]; exists (first k); split.
    + exists 0%nat; split; [lia|unfold first; apply Nat.ltb_lt; lia].
    + rewrite size_count, first_size, first_chance by assumption; exact H.
Qed.

(* Loss zero: all rows are equal. *)
Theorem zhong_theorem_13_zero : forall n p D, is_law n p ->
  (exists Q, is_mechanism n n Q /\ private n Q 0 /\ errs n p Q <= D) <-> (exists x, (x < n)%nat /\ 1 - p x <= D).
Proof.
  intros n p D Hp; assert (Hn : (0 < n)%nat) by (destruct n; [destruct Hp as [_ Hs]; simpl in Hs; lra|lia]); split.
  - intros [Q [HQ [HP HD]]]; rewrite errs_diagonal in HD by assumption.
    destruct (largest_attained n p Hn (proj1 Hp)) as [x [Hx E]]; exists x; split; [assumption|].
    assert (C : forall y, (y < n)%nat -> Q y y <= Q 0%nat y).
    { intros y Hy; destruct (Nat.eq_dec y 0) as [->|Hne]; [lra|].
      assert (T := private_entries n Q 0 y 0%nat y HP Hy Hn Hy Hne); rewrite exp_0 in T; lra. }
    assert (B : sum n (fun y => p y * Q y y) <= sum n (fun y => p x * Q 0%nat y)).
    { apply sum_le; intros y Hy; apply Rmult_le_compat; [apply Hp|apply HQ| |apply C]; try assumption.
      rewrite <- E; apply largest_ge; assumption. }
    rewrite sum_scale, (proj2 HQ 0%nat Hn) in B; lra.
  - intros [x [Hx HD]]; exists (fun _ y => if Nat.eqb y x then 1 else 0).
    assert (HQ : is_mechanism n n (fun _ y => if Nat.eqb y x then 1 else 0)).
    { split; [intros _ y _ _; destruct (Nat.eqb y x); lra|intros _ _; apply sum_single; assumption]. }
    split; [assumption|split].
    + apply private_of_entries; intros; rewrite exp_0; lra.
    + rewrite errs_diagonal by assumption.
      rewrite (sum_ext _ _ (fun y => at_place x 1 y * p y)) by (intros y _; unfold at_place; destruct (Nat.eqb y x); ring).
      rewrite (sum_at_place n x 1 p) by assumption; lra.
Qed.
