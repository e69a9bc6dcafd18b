(* Alvim and others (2011): what differential privacy leaves to min-entropy leakage.

   On every graph whose vertices see equally many others at each distance, so wherever automorphisms take any vertex to any other, the
   leakage is at most log (n / sum_k N_k e^(-eps k)), whatever the distribution, and some mechanism has that leakage under the
   uniform one. Theorem 1 is the graph of databases of u individuals with v values. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds Convex Databases.
Open Scope R_scope.

(* If the weights g^-d around every input add up to K at least, the leakage is at most log (n / K). *)
Lemma leakage_by_spheres : forall n m (d : nat -> nat -> nat) g K Q, (0 < n)%nat -> 0 < g -> 0 < K -> is_mechanism n m Q ->
  (forall x x' y, (x < n)%nat -> (x' < n)%nat -> (y < m)%nat -> Q x y <= g ^ d x x' * Q x' y) ->
  (forall x', (x' < n)%nat -> K <= sum n (fun x => / g ^ d x' x)) ->
  sum m (fun y => largest n (fun x => Q x y)) <= INR n / K.
Proof.
  intros n m d g K Q Hn Hg HK HQ HP HS.
  apply Rmult_le_reg_l with K; [assumption|].
  replace (K * (INR n / K)) with (INR n) by (field; lra).
  replace (INR n) with (sum m (fun y => sum n (fun x => Q x y))).
  2:{ rewrite <- sum_swap, (sum_ext _ _ (fun _ => 1)) by (intros; apply HQ; assumption); rewrite sum_const; lra. }
  rewrite <- sum_scale; apply sum_le; intros y Hy.
  destruct (largest_attained n (fun x => Q x y) Hn) as [x' [Hx' E]]; [intros; apply HQ; assumption|].
  rewrite E; apply Rle_trans with (sum n (fun x => / g ^ d x' x) * Q x' y).
  - apply Rmult_le_compat_r; [apply HQ; assumption|apply HS; assumption].
  - rewrite <- sum_scale_r; apply sum_le; intros x Hx.
    assert (G : 0 < g ^ d x' x) by (apply pow_lt; assumption).
    apply Rmult_le_reg_l with (g ^ d x' x); [assumption|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; apply HP; assumption.
Qed.

(* Guessing gains at most what the maxima of the columns add up to, whatever the distribution. *)
Lemma guessing_at_most : forall n m p Q B, (0 < n)%nat -> is_law n p -> is_mechanism n m Q ->
  sum m (fun y => largest n (fun x => Q x y)) <= B -> guessing_leakage n m p Q <= ln B.
Proof.
  intros n m p Q B Hn Hp HQ L.
  assert (Pos : 0 < largest n p).
  { destruct (largest_nonneg n p) as [|E]; [assumption|exfalso].
    assert (sum n p <= sum n (fun _ => 0)) by (apply sum_le; intros; rewrite E; apply largest_ge; assumption).
    rewrite sum_const, Rmult_0_r, (proj2 Hp) in H; lra. }
  assert (U : sum m (fun y => largest n (fun x => p x * Q x y)) <= B * largest n p).
  { apply Rle_trans with (largest n p * sum m (fun y => largest n (fun x => Q x y))).
    - rewrite <- sum_scale; apply sum_le; intros y Hy; rewrite <- largest_scale by lra.
      apply largest_le; [apply largest_nonneg|]; intros x Hx.
      eapply Rle_trans; [|apply (largest_ge n (fun x => largest n p * Q x y) x Hx)].
      apply Rmult_le_compat_r; [apply HQ; assumption|apply largest_ge; assumption].
    - rewrite Rmult_comm; apply Rmult_le_compat_r; lra. }
  assert (W : 0 < sum m (fun y => largest n (fun x => p x * Q x y))).
  { assert (E : sum m (output n p Q) = 1).
    { unfold output; rewrite <- (sum_swap n m (fun x y => p x * Q x y)), <- (proj2 Hp); apply sum_ext; intros x Hx.
      rewrite sum_scale, (proj2 HQ x Hx); ring. }
    assert (T : sum m (output n p Q) <= sum m (fun y => INR n * largest n (fun x => p x * Q x y))).
    { apply sum_le; intros y Hy; unfold output; rewrite <- (sum_const n (largest n (fun x => p x * Q x y))).
      apply sum_le; intros x Hx; apply (largest_ge n (fun x => p x * Q x y)); assumption. }
    rewrite sum_scale, E in T; assert (0 <= INR n) by apply pos_INR.
    destruct (Rlt_le_dec 0 (sum m (fun y => largest n (fun x => p x * Q x y)))) as [|C]; [assumption|].
    assert (0 <= INR n * - sum m (fun y => largest n (fun x => p x * Q x y))) by (apply Rmult_le_pos; lra); lra. }
  unfold guessing_leakage.
  assert (F : sum m (fun y => largest n (fun x => p x * Q x y)) / largest n p <= B).
  { apply Rmult_le_reg_r with (largest n p); [assumption|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; exact U. }
  destruct F as [F|F]; [left; apply ln_increasing; [apply Rdiv_lt_0_compat; assumption|assumption]|right; f_equal; exact F].
Qed.

(* Graphs: `near` says which vertices are neighbours, and d is how many steps they lie apart. *)
Definition neighbours (near : nat -> nat -> bool) (x x' : nat) : option Q := if near x x' then Some 1%Q else None.

Record is_distance (n : nat) (near : nat -> nat -> bool) (d : nat -> nat -> nat) : Prop := {
  symmetric : forall x x', (x < n)%nat -> (x' < n)%nat -> near x x' = near x' x;
  nowhere : forall x z, (x < n)%nat -> (z < n)%nat -> d x z = 0%nat <-> x = z;
  nearer : forall x z k, (x < n)%nat -> (z < n)%nat -> d x z = S k -> exists w, (w < n)%nat /\ near x w = true /\ d w z = k;
  by_steps : forall x w z, (x < n)%nat -> (w < n)%nat -> (z < n)%nat -> near x w = true -> (d x z <= S (d w z))%nat
}.

(* Every vertex sees N k others at the distance k, and none further than r: the sizes of the paper's Border_k. *)
Definition borders (n : nat) (d : nat -> nat -> nat) (N : nat -> nat) (r : nat) : Prop :=
  forall x, (x < n)%nat -> (forall z, (z < n)%nat -> (d x z <= r)%nat) /\
    forall k, (k <= r)%nat -> count n (fun z => Nat.eqb (d x z) k) = N k.

Definition weight (N : nat -> nat) (r : nat) (eps : R) : R := sum (S r) (fun k => INR (N k) * / exp eps ^ k).

Lemma weight_around : forall n d N r eps x, borders n d N r -> (x < n)%nat ->
  sum n (fun z => / exp eps ^ d x z) = weight N r eps.
Proof.
  intros n d N r eps x H Hx; destruct (H x Hx) as [R C]; unfold weight.
  rewrite (sum_ext (S r) _ (fun k => sum n (fun z => if Nat.eqb (d x z) k then / exp eps ^ k else 0))).
  - rewrite <- (sum_swap n (S r) (fun z k => if Nat.eqb (d x z) k then / exp eps ^ k else 0)); apply sum_ext; intros z Hz.
    rewrite (sum_ext _ _ (fun k => if Nat.eqb k (d x z) then / exp eps ^ d x z else 0)).
    + rewrite sum_single; [reflexivity|specialize (R z Hz); lia].
    + intros k _; rewrite Nat.eqb_sym; destruct (Nat.eqb_spec k (d x z)) as [->|]; reflexivity.
  - intros k Hk; rewrite <- (C k) by lia; rewrite (sum_count n (fun z => Nat.eqb (d x z) k)); reflexivity.
Qed.

(* Automorphisms that take any vertex to any other: the graphs with one orbit of the paper's Theorems 3 and 4. *)
Definition automorphism (n : nat) (near : nat -> nat -> bool) (there back : nat -> nat) : Prop :=
  (forall x, (x < n)%nat -> (there x < n)%nat /\ back (there x) = x) /\
  (forall x, (x < n)%nat -> (back x < n)%nat /\ there (back x) = x) /\
  forall x z, (x < n)%nat -> (z < n)%nat -> near (there x) (there z) = near x z.

Definition one_orbit (n : nat) (near : nat -> nat -> bool) : Prop :=
  forall x x', (x < n)%nat -> (x' < n)%nat -> exists there back, automorphism n near there back /\ there x = x'.

Lemma automorphism_nearer : forall n near d there back, is_distance n near d -> automorphism n near there back ->
  forall k x z, (x < n)%nat -> (z < n)%nat -> d x z = k -> (d (there x) (there z) <= k)%nat.
Proof.
  intros n near d there back HD [T [_ A]]; induction k; intros x z Hx Hz E.
  - apply (nowhere n near d HD x z Hx Hz) in E; subst.
    rewrite (proj2 (nowhere n near d HD (there z) (there z) (proj1 (T z Hz)) (proj1 (T z Hz))) eq_refl); lia.
  - destruct (nearer n near d HD x z k Hx Hz E) as [w [Hw [Nw Ew]]].
    assert (L := by_steps n near d HD (there x) (there w) (there z) (proj1 (T x Hx)) (proj1 (T w Hw)) (proj1 (T z Hz))).
    rewrite A, Nw in L by assumption; specialize (L eq_refl); specialize (IHk w z Hw Hz Ew); lia.
Qed.

Lemma automorphism_distance : forall n near d there back x z, is_distance n near d -> automorphism n near there back ->
  (x < n)%nat -> (z < n)%nat -> d (there x) (there z) = d x z.
Proof.
  intros n near d there back x z HD HA Hx Hz; destruct HA as [T [B A]].
  assert (HB : automorphism n near back there).
  { split; [exact B|split; [exact T|]]; intros y w Hy Hw; rewrite <- (A (back y) (back w)) by (apply B; assumption).
    rewrite (proj2 (B y Hy)), (proj2 (B w Hw)); reflexivity. }
  apply Nat.le_antisymm.
  - apply (automorphism_nearer n near d there back HD (conj T (conj B A)) (d x z)); auto.
  - assert (L := automorphism_nearer n near d back there HD HB _ (there x) (there z) (proj1 (T x Hx)) (proj1 (T z Hz)) eq_refl).
    rewrite (proj2 (T x Hx)), (proj2 (T z Hz)) in L; exact L.
Qed.

Lemma one_orbit_borders : forall n near d r, is_distance n near d -> one_orbit n near ->
  (forall x z, (x < n)%nat -> (z < n)%nat -> (d x z <= r)%nat) ->
  borders n d (fun k => count n (fun z => Nat.eqb (d 0%nat z) k)) r.
Proof.
  intros n near d r HD HO HR x Hx; split; [auto|]; intros k _.
  destruct (HO 0%nat x ltac:(lia) Hx) as [there [back [HA E]]].
  apply INR_eq; rewrite <- (Rmult_1_r (INR _)), <- (Rmult_1_r (INR (count n (fun z => Nat.eqb (d 0%nat z) k)))).
  rewrite <- (sum_count n (fun z => Nat.eqb (d x z) k)), <- (sum_count n (fun z => Nat.eqb (d 0%nat z) k)).
  rewrite <- (sum_reordered n there back (fun z => if Nat.eqb (d x z) k then 1 else 0)); try apply HA.
  apply sum_ext; intros z Hz; rewrite <- E, (automorphism_distance n near d there back 0%nat z HD HA) by (assumption || lia); reflexivity.
Qed.

Lemma weight_pos : forall n near d N r eps, (0 < n)%nat -> is_distance n near d -> borders n d N r -> 0 < weight N r eps.
Proof.
  intros n near d N r eps Hn HD HB; rewrite <- (weight_around n d N r eps 0 HB Hn).
  assert (P : forall z, 0 < / exp eps ^ d 0%nat z) by (intro; apply Rinv_0_lt_compat, pow_lt, exp_pos).
  apply Rlt_le_trans with (/ exp eps ^ d 0%nat 0%nat); [apply P|].
  apply (sum_pos n (fun z => / exp eps ^ d 0%nat z)); [intros; apply Rlt_le, P|assumption].
Qed.

Theorem alvim_symmetric_graphs : forall n m near d N r p Q eps, (0 < n)%nat -> is_distance n near d -> borders n d N r ->
  is_law n p -> is_mechanism n m Q -> keeps_outputs n m (neighbours near) 0 Q eps ->
  guessing_leakage n m p Q <= ln (INR n / weight N r eps).
Proof.
  intros n m near d N r p Q eps Hn HD HB Hp HQ HP; assert (G := exp_pos eps).
  apply guessing_at_most; try assumption.
  apply (leakage_by_spheres n m d (exp eps)); try assumption; [apply (weight_pos n near d); assumption| |].
  - assert (W : forall k x x' y, (x < n)%nat -> (x' < n)%nat -> (y < m)%nat -> d x x' = k -> Q x y <= exp eps ^ k * Q x' y).
    { induction k; intros x x' y Hx Hx' Hy E.
      - apply (nowhere n near d HD x x' Hx Hx') in E; subst; simpl; lra.
      - destruct (nearer n near d HD x x' k Hx Hx' E) as [w [Hw [Nw Ew]]].
        assert (T := HP x w 1%Q y Hx Hw Hy); unfold neighbours in T; rewrite Nw, Q2R_1, Rmult_1_r, Rplus_0_r in T.
        eapply Rle_trans; [apply T; reflexivity|]; simpl; rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|].
        apply IHk; assumption. }
    intros x x' y Hx Hx' Hy; apply W; auto.
  - intros x' Hx'; right; symmetry; apply weight_around; assumption.
Qed.

Theorem alvim_one_orbit : forall n m near d r p Q eps, (0 < n)%nat -> is_distance n near d -> one_orbit n near ->
  (forall x z, (x < n)%nat -> (z < n)%nat -> (d x z <= r)%nat) ->
  is_law n p -> is_mechanism n m Q -> keeps_outputs n m (neighbours near) 0 Q eps ->
  guessing_leakage n m p Q <= ln (INR n / weight (fun k => count n (fun z => Nat.eqb (d 0%nat z) k)) r eps).
Proof.
  intros n m near d r p Q eps Hn HD HO HR Hp HQ HP; apply (alvim_symmetric_graphs n m near d); try assumption.
  apply (one_orbit_borders n near); assumption.
Qed.

Theorem alvim_symmetric_graphs_attained : forall n near d N r eps, (0 < n)%nat -> 0 <= eps -> is_distance n near d ->
  borders n d N r ->
  exists Q, is_mechanism n n Q /\ keeps_outputs n n (neighbours near) 0 Q eps /\
    guessing_leakage n n (fun _ => / INR n) Q = ln (INR n / weight N r eps).
Proof.
  intros n near d N r eps Hn He HD HB; assert (G := exp_pos eps).
  assert (G1 : 1 <= exp eps) by (rewrite <- exp_0; apply exp_le; assumption).
  assert (K := weight_pos n near d N r eps Hn HD HB); set (w := weight N r eps) in *.
  assert (I : 0 < / w) by (apply Rinv_0_lt_compat; assumption).
  assert (P : forall x y, 0 < exp eps ^ d x y) by (intros; apply pow_lt; assumption).
  exists (fun x y => / exp eps ^ d x y * / w); split; [split|split].
  - intros x y _ _; apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat, P|lra].
  - intros x Hx; rewrite sum_scale_r, (weight_around n d N r eps x HB Hx); fold w; field; lra.
  - intros x x' q y Hx Hx' Hy D; unfold neighbours in D; destruct (near x x') eqn:E; [injection D as <-|discriminate].
    rewrite Q2R_1, Rmult_1_r, Rplus_0_r, <- Rmult_assoc; apply Rmult_le_compat_r; [lra|].
    rewrite (symmetric n near d HD) in E by assumption.
    assert (T := by_steps n near d HD x' x y Hx' Hx Hy E).
    assert (L : exp eps ^ d x' y <= exp eps * exp eps ^ d x y)
      by (change (exp eps * exp eps ^ d x y) with (exp eps ^ S (d x y)); apply Rle_pow; assumption).
    assert (P1 := P x y); assert (P2 := P x' y); set (a := exp eps ^ d x y) in *; set (b := exp eps ^ d x' y) in *.
    apply Rmult_le_reg_r with (a * b); [apply Rmult_lt_0_compat; assumption|].
    replace (/ a * (a * b)) with b by (field; lra).
    replace (exp eps * / b * (a * b)) with (exp eps * a) by (field; lra); exact L.
  - rewrite guessing_capacity by assumption; unfold leakage; f_equal.
    rewrite (sum_ext _ _ (fun _ => / w)); [rewrite sum_const; reflexivity|].
    intros y Hy; apply Rle_antisym.
    + apply largest_le; [lra|]; intros x Hx; rewrite <- (Rmult_1_l (/ w)) at 2; apply Rmult_le_compat_r; [lra|].
      rewrite <- Rinv_1; apply Rinv_le_contravar; [lra|apply pow_R1_Rle; assumption].
    + eapply Rle_trans; [|apply (largest_ge n (fun x => / exp eps ^ d x y * / w) y Hy)].
      rewrite (proj2 (nowhere n near d HD y y Hy Hy) eq_refl); simpl; rewrite Rinv_1; lra.
Qed.

(* Neighbours differ in one individual. *)
Definition private_databases (v u m : nat) (Q : nat -> nat -> R) (eps : R) : Prop :=
  keeps_outputs (v ^ u) m (databases v u) 0 Q eps.

Theorem alvim_theorem_1 : forall v u m p Q eps, (0 < v)%nat -> is_law (v ^ u) p -> is_mechanism (v ^ u) m Q ->
  private_databases v u m Q eps ->
  guessing_leakage (v ^ u) m p Q <= INR u * ln (INR v * exp eps / (INR v - 1 + exp eps)).
Proof.
  intros v u m p Q eps Hv Hp HQ HP; set (g := exp eps); assert (G : 0 < g) by apply exp_pos.
  assert (V : 1 <= INR v) by (change 1 with (INR 1); apply le_INR; lia).
  set (n := (v ^ u)%nat) in *.
  assert (Hn : (0 < n)%nat) by (unfold n; apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  set (k := 1 + (INR v - 1) * / g).
  assert (K : 0 < k).
  { unfold k; assert (0 <= (INR v - 1) * / g) by (apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; assumption]); lra. }
  assert (L : sum m (fun y => largest n (fun x => Q x y)) <= INR n / k ^ u).
  { apply (leakage_by_spheres n m (rows_apart v u) g); try assumption; [apply pow_lt; assumption| |].
    - intros x x' y Hx Hx' Hy; apply (group_privacy v g u (fun x => Q x y)); try assumption.
      intros a a' Ha Ha' E.
      assert (D : databases v u a a' = Some 1%Q) by (unfold databases; rewrite E; reflexivity).
      assert (T := HP a a' 1%Q y Ha Ha' Hy D); rewrite Q2R_1, Rmult_1_r in T; unfold g; lra.
    - intros x' Hx'; right; symmetry; apply sphere_weights; assumption. }
  assert (B : INR n / k ^ u = (INR v * exp eps / (INR v - 1 + exp eps)) ^ u).
  { unfold n; rewrite pow_INR; unfold Rdiv at 1; rewrite <- pow_inv, <- Rpow_mult_distr; f_equal.
    unfold k; fold g; field; repeat split; lra. }
  rewrite B in L.
  rewrite <- ln_pow by (fold g; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
  apply guessing_at_most; assumption.
Qed.
