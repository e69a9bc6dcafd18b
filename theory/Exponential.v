(* The exponential function enclosed by rational numbers: Taylor's polynomial, in integers over a power of two. *)

From Coq Require Import Reals Lra Lia Arith List Bool ZArith QArith Qreals.
From Epstar Require Import Sums Numbers.
Open Scope R_scope.

Definition term (k : nat) (t : R) : R := t ^ k / INR (fact k).
Definition taylor (n : nat) (t : R) : R := sum n (fun k => term k t).

Lemma term_S : forall k t, term (S k) t = term k t * t / INR (S k).
Proof.
  intros; unfold term; rewrite fact_simpl, mult_INR; simpl pow; field.
  split; [apply INR_fact_neq_0|apply not_0_INR; discriminate].
Qed.

Lemma term_nonneg : forall k t, 0 <= t -> 0 <= term k t.
Proof.
  intros; unfold term; apply Rmult_le_pos; [apply pow_le; assumption|].
  apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma term_derivative : forall k t, derivable_pt_lim (term (S k)) t (term k t).
Proof.
  intros k t; unfold term.
  assert (H := derivable_pt_lim_scal (fun u => u ^ S k) (/ INR (fact (S k))) t _ (derivable_pt_lim_pow t (S k))).
  unfold mult_real_fct in H.
  eapply derivable_pt_lim_ext; [intro u; unfold Rdiv; apply Rmult_comm|].
  replace (t ^ k / INR (fact k)) with (/ INR (fact (S k)) * (INR (S k) * t ^ Init.Nat.pred (S k))); [exact H|].
  simpl Init.Nat.pred; rewrite fact_simpl, mult_INR; field.
  split; [apply INR_fact_neq_0|apply not_0_INR; discriminate].
Qed.

Lemma taylor_derivative : forall n t, derivable_pt_lim (taylor (S n)) t (taylor n t).
Proof.
  induction n; intros t; unfold taylor; simpl.
  - eapply derivable_pt_lim_ext; [|apply (derivable_pt_lim_const 1 t)].
    intro u; unfold term, fct_cte; simpl; field.
  - apply derivable_pt_lim_plus; [exact (IHn t)|apply term_derivative].
Qed.

Lemma exp_neg_derivative : forall t, derivable_pt_lim (fun u => exp (- u)) t (- exp (- t)).
Proof.
  intro t; replace (- exp (- t)) with (exp (- t) * - (1)) by lra.
  apply (derivable_pt_lim_comp Ropp exp); [apply derivable_pt_lim_opp, derivable_pt_lim_id|apply derivable_pt_lim_exp].
Qed.

Lemma share_derivative : forall n t,
  derivable_pt_lim (fun u => taylor (S n) u * exp (- u)) t (- (term n t * exp (- t))).
Proof.
  intros n t.
  replace (- (term n t * exp (- t))) with (taylor n t * exp (- t) + taylor (S n) t * - exp (- t)).
  - apply (derivable_pt_lim_mult (taylor (S n)) (fun u => exp (- u))); [apply taylor_derivative|apply exp_neg_derivative].
  - unfold taylor; simpl; ring.
Qed.

Lemma taylor_at_0 : forall n, taylor (S n) 0 = 1.
Proof.
  induction n; unfold taylor in *; simpl in *; [unfold term; simpl; field|].
  rewrite IHn; unfold term; rewrite pow_ne_zero by discriminate; unfold Rdiv; lra.
Qed.

Lemma exp_pos_neg : forall t, exp t * exp (- t) = 1.
Proof. intro t; rewrite <- exp_plus, Rplus_opp_r; apply exp_0. Qed.

Lemma taylor_below : forall n t, 0 <= t -> taylor (S n) t <= exp t.
Proof.
  intros n t [Ht|<-]; [|rewrite taylor_at_0, exp_0; lra].
  destruct (MVT_cor2 (fun u => taylor (S n) u * exp (- u)) _ 0 t Ht (fun c _ => share_derivative n c)) as [c [E [Hc _]]].
  rewrite taylor_at_0, Ropp_0, exp_0 in E.
  assert (0 <= term n c * exp (- c)) by (apply Rmult_le_pos; [apply term_nonneg; lra|apply Rlt_le, exp_pos]).
  assert (G : taylor (S n) t * exp (- t) <= 1).
  { assert (0 <= term n c * exp (- c) * (t - 0)) by (apply Rmult_le_pos; lra); lra. }
  apply Rmult_le_compat_l with (r := exp t) in G; [|apply Rlt_le, exp_pos].
  replace (exp t * (taylor (S n) t * exp (- t))) with (taylor (S n) t * (exp t * exp (- t))) in G by ring.
  rewrite exp_pos_neg in G; lra.
Qed.

Lemma taylor_above : forall n t, 0 <= t -> exp t * (1 - term (S n) t) <= taylor (S n) t.
Proof.
  intros n t [Ht|<-].
  2:{ rewrite taylor_at_0, exp_0; assert (0 <= term (S n) 0) by (apply term_nonneg; lra); lra. }
  assert (D : forall c, derivable_pt_lim (fun u => taylor (S n) u * exp (- u) + term (S n) u) c
                          (- (term n c * exp (- c)) + term n c)).
  { intro c; apply (derivable_pt_lim_plus (fun u => taylor (S n) u * exp (- u)) (term (S n)));
      [apply share_derivative|apply term_derivative]. }
  destruct (MVT_cor2 _ _ 0 t Ht (fun c _ => D c)) as [c [E [Hc _]]]; cbv beta in E.
  rewrite taylor_at_0, Ropp_0, exp_0 in E.
  replace (term (S n) 0) with 0 in E by (unfold term; rewrite pow_ne_zero by discriminate; unfold Rdiv; lra).
  assert (0 <= term n c) by (apply term_nonneg; lra).
  assert (exp (- c) <= 1) by (rewrite <- exp_0; apply Rlt_le, exp_increasing; lra).
  assert (G : 1 <= taylor (S n) t * exp (- t) + term (S n) t).
  { assert (0 <= term n c * (1 - exp (- c)) * (t - 0)) 
      by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra); lra. }
  apply Rmult_le_compat_l with (r := exp t) in G; [|apply Rlt_le, exp_pos].
  replace (exp t * (taylor (S n) t * exp (- t) + term (S n) t))
    with (taylor (S n) t * (exp t * exp (- t)) + exp t * term (S n) t) in G by ring.
  rewrite exp_pos_neg in G; lra.
Qed.

(* The polynomial, summed in integers that stand for themselves over 2 ^ p: everything rounded down, or up. *)

Definition unit_of (p : positive) : Z := Z.pow_pos 2 p.

Lemma unit_pos : forall p, (0 < unit_of p)%Z.
Proof. intro p; unfold unit_of; rewrite Z.pow_pos_fold; apply Z.pow_pos_nonneg; lia. Qed.

(* a / (k 2^p), shifted before it is divided: long numbers are never divided by long ones. *)
Definition floor_div (p : positive) (a k : Z) : Z := (Z.shiftr a (Zpos p) / k)%Z.
Definition ceil_div (p : positive) (a k : Z) : Z := (floor_div p a k + 1)%Z.

Lemma floor_div_is : forall p a k, (0 < k)%Z -> floor_div p a k = (a / (k * unit_of p))%Z.
Proof.
  intros p a k Hk; unfold floor_div; rewrite Z.shiftr_div_pow2 by lia.
  change (2 ^ Zpos p)%Z with (unit_of p); rewrite Z.div_div by (assert (U := unit_pos p); lia).
  rewrite (Z.mul_comm (unit_of p)); reflexivity.
Qed.

Lemma floor_div_le : forall p a k, (0 < k)%Z -> IZR (floor_div p a k) * (IZR k * IZR (unit_of p)) <= IZR a.
Proof.
  intros p a k Hk; rewrite floor_div_is, <- !mult_IZR by assumption; apply IZR_le; rewrite Z.mul_comm.
  apply Z.mul_div_le; assert (U := unit_pos p); lia.
Qed.

Lemma ceil_div_ge : forall p a k, (0 < k)%Z -> IZR a <= IZR (ceil_div p a k) * (IZR k * IZR (unit_of p)).
Proof.
  intros p a k Hk; unfold ceil_div; rewrite floor_div_is, <- !mult_IZR by assumption; apply IZR_le.
  assert (U := unit_pos p); assert (0 < k * unit_of p)%Z by lia.
  assert (L := Z.mul_succ_div_gt a (k * unit_of p)); rewrite <- Z.add_1_r in L; rewrite Z.mul_comm; lia.
Qed.

Lemma floor_div_nonneg : forall p a k, (0 <= a)%Z -> (0 < k)%Z -> (0 <= floor_div p a k)%Z.
Proof. intros p a k Ha Hk; rewrite floor_div_is by assumption; assert (U := unit_pos p); apply Z.div_pos; lia. Qed.

Fixpoint series (div : Z -> Z -> Z) (T : Z) (n : nat) (k tau s : Z) : Z * Z :=
  match n with
  | O => (s, tau)
  | S n' => series div T n' (k + 1)%Z (div (tau * T) k)%Z (s + tau)%Z
  end.

Lemma series_below : forall p T t n k tau s, (0 <= T)%Z -> (0 <= tau)%Z -> IZR T <= t * IZR (unit_of p) ->
  IZR tau <= term k t * IZR (unit_of p) -> IZR s <= taylor k t * IZR (unit_of p) ->
  IZR (fst (series (floor_div p) T n (Z.of_nat (S k)) tau s)) <= taylor (k + n) t * IZR (unit_of p).
Proof.
  intros p T t; induction n; intros k tau s HT Htau Ht Hk Hs; [rewrite Nat.add_0_r; exact Hs|].
  replace (k + S n)%nat with (S k + n)%nat by lia.
  cbn [series]; replace (Z.of_nat (S k) + 1)%Z with (Z.of_nat (S (S k))) by lia.
  assert (U : (0 < unit_of p)%Z) by apply unit_pos.
  assert (UR : 0 < IZR (unit_of p)) by (apply IZR_lt in U; exact U).
  assert (KZ : (0 < Z.of_nat (S k))%Z) by lia.
  assert (K : 0 < INR (S k)) by (apply lt_0_INR; lia).
  apply IHn; try assumption.
  - apply floor_div_nonneg; lia.
  - assert (F := floor_div_le p (tau * T) (Z.of_nat (S k)) KZ).
    rewrite !mult_IZR, <- INR_IZR_INZ in F.
    apply Rmult_le_reg_r with (INR (S k) * IZR (unit_of p)); [apply Rmult_lt_0_compat; assumption|].
    eapply Rle_trans; [exact F|]; rewrite term_S.
    replace (term k t * t / INR (S k) * IZR (unit_of p) * (INR (S k) * IZR (unit_of p)))
      with ((term k t * IZR (unit_of p)) * (t * IZR (unit_of p))) by (field; lra).
    apply Rmult_le_compat; try assumption; apply IZR_le; assumption.
  - rewrite plus_IZR; unfold taylor in *; simpl; lra.
Qed.

Lemma series_above : forall p T t n k tau s, (0 <= T)%Z -> 0 <= t -> t * IZR (unit_of p) <= IZR T ->
  term k t * IZR (unit_of p) <= IZR tau -> taylor k t * IZR (unit_of p) <= IZR s ->
  taylor (k + n) t * IZR (unit_of p) <= IZR (fst (series (ceil_div p) T n (Z.of_nat (S k)) tau s)) /\
  term (k + n) t * IZR (unit_of p) <= IZR (snd (series (ceil_div p) T n (Z.of_nat (S k)) tau s)).
Proof.
  intros p T t; induction n; intros k tau s HT H0 Ht Hk Hs; [rewrite Nat.add_0_r; split; assumption|].
  replace (k + S n)%nat with (S k + n)%nat by lia.
  cbn [series]; replace (Z.of_nat (S k) + 1)%Z with (Z.of_nat (S (S k))) by lia.
  assert (U : (0 < unit_of p)%Z) by apply unit_pos.
  assert (UR : 0 < IZR (unit_of p)) by (apply IZR_lt in U; exact U).
  assert (KZ : (0 < Z.of_nat (S k))%Z) by lia.
  assert (K : 0 < INR (S k)) by (apply lt_0_INR; lia).
  apply IHn; try assumption.
  - assert (F := ceil_div_ge p (tau * T) (Z.of_nat (S k)) KZ).
    rewrite !mult_IZR, <- INR_IZR_INZ in F.
    apply Rmult_le_reg_r with (INR (S k) * IZR (unit_of p)); [apply Rmult_lt_0_compat; assumption|].
    eapply Rle_trans; [|exact F]; rewrite term_S.
    replace (term k t * t / INR (S k) * IZR (unit_of p) * (INR (S k) * IZR (unit_of p)))
      with ((term k t * IZR (unit_of p)) * (t * IZR (unit_of p))) by (field; lra).
    apply Rmult_le_compat; try assumption.
    + apply Rmult_le_pos; [apply term_nonneg; assumption|lra].
    + apply Rmult_le_pos; lra.
  - rewrite plus_IZR; unfold taylor in *; simpl; lra.
Qed.

(* Squared as often as the argument was halved. *)
Fixpoint squared (div : Z -> Z -> Z) (h : nat) (v : Z) : Z :=
  match h with
  | O => v
  | S h' => squared div h' (div (v * v) 1)%Z
  end.

Lemma squared_below : forall p h v t, (0 <= v)%Z -> IZR v <= exp t * IZR (unit_of p) ->
  IZR (squared (floor_div p) h v) <= exp (t * 2 ^ h) * IZR (unit_of p) /\ (0 <= squared (floor_div p) h v)%Z.
Proof.
  intro p; assert (U := unit_pos p); assert (UR : 0 < IZR (unit_of p)) by (apply IZR_lt in U; exact U).
  induction h; intros v t Hv H; simpl; [rewrite Rmult_1_r; auto|].
  replace (t * (2 * 2 ^ h)) with ((t + t) * 2 ^ h) by ring.
  apply IHh; [apply floor_div_nonneg; nia|].
  apply Rmult_le_reg_r with (IZR (unit_of p)); [assumption|].
  eapply Rle_trans; [assert (F := floor_div_le p (v * v) 1 eq_refl); rewrite Rmult_1_l in F; exact F|].
  rewrite mult_IZR, exp_plus; apply IZR_le in Hv.
  replace (exp t * exp t * IZR (unit_of p) * IZR (unit_of p))
    with ((exp t * IZR (unit_of p)) * (exp t * IZR (unit_of p))) by ring.
  apply Rmult_le_compat; assumption.
Qed.

Lemma squared_above : forall p h v t, exp t * IZR (unit_of p) <= IZR v ->
  exp (t * 2 ^ h) * IZR (unit_of p) <= IZR (squared (ceil_div p) h v).
Proof.
  intro p; assert (U := unit_pos p); assert (UR : 0 < IZR (unit_of p)) by (apply IZR_lt in U; exact U).
  induction h; intros v t H; simpl; [rewrite Rmult_1_r; auto|].
  replace (t * (2 * 2 ^ h)) with ((t + t) * 2 ^ h) by ring.
  apply IHh, Rmult_le_reg_r with (IZR (unit_of p)); [assumption|].
  eapply Rle_trans; [|assert (F := ceil_div_ge p (v * v) 1 eq_refl); rewrite Rmult_1_l in F; exact F].
  rewrite mult_IZR, exp_plus.
  replace (exp t * exp t * IZR (unit_of p) * IZR (unit_of p))
    with ((exp t * IZR (unit_of p)) * (exp t * IZR (unit_of p))) by ring.
  assert (0 <= exp t * IZR (unit_of p)) by (apply Rlt_le, Rmult_lt_0_compat; [apply exp_pos|assumption]).
  apply Rmult_le_compat; assumption.
Qed.

(* How precisely to enclose: bits after the point, halvings of an argument below one, terms of the polynomial. *)
Record precision := { bits : positive; halvings : nat; terms : nat }.

(* So often is a number halved that it is below 2^-halvings: as often more as its whole part has digits. *)
Definition halved (q : precision) (x : Q) : nat :=
  (halvings q + Z.to_nat (Z.log2 (2 * (Qnum x / Zpos (Qden x)) + 1)))%nat.

(* x over such a power of two, rounded down *)
Definition scaled (q : precision) (x : Q) : Z :=
  (Qnum x * unit_of (bits q) / (Zpos (Qden x) * 2 ^ Z.of_nat (halved q x)))%Z.

Definition exp_low_pos (q : precision) (x : Q) : Z :=
  let s := fst (series (floor_div (bits q)) (scaled q x) (S (terms q)) 1 (unit_of (bits q)) 0) in
  squared (floor_div (bits q)) (halved q x) s.

(* The polynomial over 1 - tau, with tau above the term that follows: at most 1 + 2 tau times it, for tau up to a half. *)
Definition exp_up_pos (q : precision) (x : Q) : option Z :=
  let (s, tau) := series (ceil_div (bits q)) (scaled q x + 1) (S (terms q)) 1 (unit_of (bits q)) 0 in
  if (2 * tau <=? unit_of (bits q))%Z
  then Some (squared (ceil_div (bits q)) (halved q x) (s + ceil_div (bits q) (2 * tau * s) 1)%Z) else None.

Lemma Q2R_parts : forall x, Q2R x * IZR (Zpos (Qden x)) = IZR (Qnum x).
Proof. intros [a d]; unfold Q2R; simpl; field; apply IZR_neq; discriminate. Qed.

Lemma pow2_IZR : forall h, IZR (2 ^ Z.of_nat h) = 2 ^ h.
Proof. intro h; rewrite <- pow_IZR; reflexivity. Qed.

Lemma series_floor_nonneg : forall p T n k tau s, (0 <= T)%Z -> (0 <= tau)%Z -> (0 < k)%Z -> (0 <= s)%Z ->
  (0 <= fst (series (floor_div p) T n k tau s))%Z.
Proof.
  intros p T; induction n; intros k tau s HT Htau Hk Hs; simpl; [assumption|].
  apply IHn; try lia; apply floor_div_nonneg; nia.
Qed.

Lemma nonneg_of_num : forall x, (0 <= Qnum x)%Z -> 0 <= Q2R x.
Proof.
  intros x Hx; assert (E := Q2R_parts x); apply IZR_le in Hx.
  assert (0 < IZR (Zpos (Qden x))) by (apply IZR_lt; reflexivity).
  destruct (Rle_lt_dec 0 (Q2R x)) as [|C]; [assumption|exfalso].
  assert (0 < - Q2R x * IZR (Zpos (Qden x))) by (apply Rmult_lt_0_compat; lra); lra.
Qed.

(* The argument in units, between two whole numbers. *)
Lemma scaled_sound : forall q x, let u := Q2R x / 2 ^ halved q x * IZR (unit_of (bits q)) in
  IZR (scaled q x) <= u <= IZR (scaled q x + 1).
Proof.
  intros q x u; set (D := (Zpos (Qden x) * 2 ^ Z.of_nat (halved q x))%Z).
  assert (DZ : (0 < D)%Z) by (unfold D; assert (0 < 2 ^ Z.of_nat (halved q x))%Z by (apply Z.pow_pos_nonneg; lia); lia).
  assert (DR : 0 < IZR D) by (apply IZR_lt; assumption).
  assert (E : u * IZR D = IZR (Qnum x * unit_of (bits q))).
  { unfold u, D; rewrite !mult_IZR, pow2_IZR, <- (Q2R_parts x); field; apply pow_nonzero; lra. }
  unfold scaled; fold D.
  assert (L := Z.mul_div_le (Qnum x * unit_of (bits q)) D DZ).
  assert (H := Z.mul_succ_div_gt (Qnum x * unit_of (bits q)) D DZ); rewrite <- Z.add_1_r in H.
  apply IZR_le in L; apply IZR_lt in H; rewrite mult_IZR, <- E in L; rewrite (mult_IZR D), <- E in H.
  split; apply Rmult_le_reg_r with (IZR D); lra.
Qed.

Lemma unhalved : forall q x, Q2R x = Q2R x / 2 ^ halved q x * 2 ^ halved q x.
Proof. intros; field; apply pow_nonzero; lra. Qed.

Lemma halved_nonneg : forall q x, (0 <= Qnum x)%Z -> 0 <= Q2R x / 2 ^ halved q x.
Proof.
  intros q x Hx; apply Rmult_le_pos; [apply nonneg_of_num; assumption|].
  apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra.
Qed.

Lemma exp_low_pos_sound : forall q x, (0 <= Qnum x)%Z -> IZR (exp_low_pos q x) <= exp (Q2R x) * IZR (unit_of (bits q)).
Proof.
  intros q x Hx; unfold exp_low_pos.
  destruct (scaled_sound q x) as [Ht _]; assert (Ht0 := halved_nonneg q x Hx).
  replace (exp (Q2R x)) with (exp (Q2R x / 2 ^ halved q x * 2 ^ halved q x)) by (rewrite <- unhalved; reflexivity).
  set (T := scaled q x) in *; set (p := bits q) in *; set (t := Q2R x / 2 ^ halved q x) in *.
  assert (U := unit_pos p); assert (UR : 0 < IZR (unit_of p)) by (apply IZR_lt in U; exact U).
  assert (HT : (0 <= T)%Z).
  { unfold T, scaled; fold p; assert (0 < 2 ^ Z.of_nat (halved q x))%Z by (apply Z.pow_pos_nonneg; lia); apply Z.div_pos; nia. }
  apply squared_below; [apply series_floor_nonneg; lia|].
  eapply Rle_trans.
  - apply (series_below p T t (S (terms q)) 0 (unit_of p) 0); try assumption; try lia.
    + unfold term; simpl; lra.
    + unfold taylor; simpl; lra.
  - apply Rmult_le_compat_r; [lra|apply taylor_below; assumption].
Qed.

Lemma exp_up_pos_sound : forall q x v, (0 <= Qnum x)%Z -> exp_up_pos q x = Some v ->
  exp (Q2R x) * IZR (unit_of (bits q)) <= IZR v.
Proof.
  intros q x v Hx; unfold exp_up_pos.
  destruct (scaled_sound q x) as [_ Ht]; assert (Ht0 := halved_nonneg q x Hx).
  replace (exp (Q2R x)) with (exp (Q2R x / 2 ^ halved q x * 2 ^ halved q x)) by (rewrite <- unhalved; reflexivity).
  set (T := (scaled q x + 1)%Z) in *; set (p := bits q) in *; set (t := Q2R x / 2 ^ halved q x) in *.
  assert (U := unit_pos p); assert (UR : 0 < IZR (unit_of p)) by (apply IZR_lt in U; exact U).
  assert (HT : (0 <= T)%Z) by (apply le_IZR; eapply Rle_trans; [|exact Ht]; apply Rmult_le_pos; lra).
  assert (SA := series_above p T t (S (terms q)) 0 (unit_of p) 0 HT Ht0 Ht).
  destruct (series (ceil_div p) T (S (terms q)) 1 (unit_of p) 0) as [s tau] eqn:Es.
  change (Z.of_nat 1) with 1%Z in SA; rewrite Es in SA; cbn [fst snd Nat.add] in SA.
  destruct SA as [S1 S2]; [unfold term; simpl; lra|unfold taylor; simpl; lra|].
  destruct (2 * tau <=? unit_of p)%Z eqn:Er; [|discriminate]; intro Ev; apply (f_equal (fun o => match o with Some w => w | None => 0%Z end)) in Ev; subst v.
  apply Z.leb_le, IZR_le in Er; rewrite mult_IZR in Er.
  apply squared_above; rewrite plus_IZR.
  assert (C := ceil_div_ge p (2 * tau * s) 1 eq_refl); rewrite Rmult_1_l, !mult_IZR in C.
  assert (A := taylor_above (terms q) t Ht0); assert (N := term_nonneg (S (terms q)) t Ht0).
  assert (E0 : 0 < exp t) by apply exp_pos.
  set (u := IZR (unit_of p)) in *; set (r := IZR tau / u).
  assert (Er' : IZR tau = r * u) by (unfold r; field; lra).
  rewrite Er' in *.
  assert (R1 : term (S (terms q)) t <= r) by (apply Rmult_le_reg_r with u; assumption).
  assert (R2 : 2 * r <= 1) by (apply Rmult_le_reg_r with u; lra).
  (* e^t (1 - r) u <= s, and so e^t u <= (1 + 2 r) s. *)
  assert (S3 : exp t * (1 - r) * u <= IZR s).
  { eapply Rle_trans; [|exact S1]; apply Rmult_le_compat_r; [lra|]; eapply Rle_trans; [|exact A].
    apply Rmult_le_compat_l; lra. }
  assert (C' : 2 * r * IZR s <= IZR (ceil_div p (2 * tau * s) 1)).
  { apply Rmult_le_reg_r with u; [assumption|]; eapply Rle_trans; [|exact C]; right; ring. }
  assert (S4 : (1 + 2 * r) * (exp t * (1 - r) * u) <= (1 + 2 * r) * IZR s) by (apply Rmult_le_compat_l; lra).
  assert (S5 : 0 <= exp t * u * (r * (1 - 2 * r))).
  { apply Rmult_le_pos; apply Rmult_le_pos; lra. }
  replace ((1 + 2 * r) * (exp t * (1 - r) * u)) with (exp t * u + exp t * u * (r * (1 - 2 * r))) in S4 by ring.
  lra.
Qed.

Definition negative (x : Q) : bool := (Qnum x <? 0)%Z.

(* a <= e^x; at zero alone the exponential of a fraction is one. *)
Definition exp_at_least (q : precision) (a x : Q) : bool :=
  if (Qnum x =? 0)%Z then qle a 1
  else if negative x then
    match exp_up_pos q (Qopp x) with
    | Some v => qle (qmul a (v # 1)) (unit_of (bits q) # 1)
    | None => false
    end
  else qle (qmul a (unit_of (bits q) # 1)) (exp_low_pos q x # 1).

(* e^x <= a *)
Definition exp_at_most (q : precision) (x a : Q) : bool :=
  if (Qnum x =? 0)%Z then qle 1 a
  else if negative x then
    let v := exp_low_pos q (Qopp x) in
    (0 <? v)%Z && qle (unit_of (bits q) # 1) (qmul a (v # 1))
  else
    match exp_up_pos q x with
    | Some v => qle (v # 1) (qmul a (unit_of (bits q) # 1))
    | None => false
    end.

Lemma Q2R_int : forall z, Q2R (z # 1) = IZR z.
Proof. intro z; unfold Q2R; simpl; field. Qed.

Lemma Q2R_neg : forall x, Q2R (Qopp x) = - Q2R x.
Proof. intro; apply Q2R_opp. Qed.

Lemma exp_at_least_sound : forall q a x, exp_at_least q a x = true -> Q2R a <= exp (Q2R x).
Proof.
  intros q a x; unfold exp_at_least, negative.
  destruct (Z.eqb_spec (Qnum x) 0) as [E0|_].
  { intro H; apply qle_real in H; rewrite Q2R_1 in H; rewrite (Q2R_num_0 x E0), exp_0; exact H. }
  assert (U := unit_pos (bits q)); assert (UR : 0 < IZR (unit_of (bits q))) by (apply IZR_lt in U; exact U).
  destruct (Z.ltb_spec (Qnum x) 0) as [Hx|Hx].
  - destruct (exp_up_pos q (Qopp x)) as [v|] eqn:E; [|discriminate]; intro H.
    apply exp_up_pos_sound in E; [|simpl; lia].
    apply qle_real in H; rewrite qmul_real, !Q2R_int in H; rewrite Q2R_neg in E.
    assert (P := exp_pos_neg (Q2R x)); assert (0 < exp (- Q2R x)) by apply exp_pos; assert (0 < exp (Q2R x)) by apply exp_pos.
    assert (0 < IZR v) by nra.
    destruct (Rle_lt_dec (Q2R a) 0); [lra|].
    apply Rmult_le_reg_r with (exp (- Q2R x) * IZR (unit_of (bits q))); [nra|].
    apply Rle_trans with (Q2R a * IZR v); [apply Rmult_le_compat_l; lra|].
    rewrite <- Rmult_assoc, P, Rmult_1_l; exact H.
  - intro H; apply qle_real in H; rewrite qmul_real, !Q2R_int in H.
    assert (E := exp_low_pos_sound q x Hx).
    apply Rmult_le_reg_r with (IZR (unit_of (bits q))); lra.
Qed.

Lemma exp_at_most_sound : forall q x a, exp_at_most q x a = true -> exp (Q2R x) <= Q2R a.
Proof.
  intros q x a; unfold exp_at_most, negative.
  destruct (Z.eqb_spec (Qnum x) 0) as [E0|_].
  { intro H; apply qle_real in H; rewrite Q2R_1 in H; rewrite (Q2R_num_0 x E0), exp_0; exact H. }
  assert (U := unit_pos (bits q)); assert (UR : 0 < IZR (unit_of (bits q))) by (apply IZR_lt in U; exact U).
  destruct (Z.ltb_spec (Qnum x) 0) as [Hx|Hx].
  - intro H; apply andb_prop in H as [Hv H]; apply Z.ltb_lt, IZR_lt in Hv.
    assert (E := exp_low_pos_sound q (Qopp x)); rewrite Q2R_neg in E.
    apply qle_real in H; rewrite qmul_real, !Q2R_int in H.
    assert (P := exp_pos_neg (Q2R x)); assert (0 < exp (- Q2R x)) by apply exp_pos; assert (0 < exp (Q2R x)) by apply exp_pos.
    assert (E' : IZR (exp_low_pos q (Qopp x)) <= exp (- Q2R x) * IZR (unit_of (bits q))) by (apply E; simpl; lia).
    apply Rmult_le_reg_r with (exp (- Q2R x) * IZR (unit_of (bits q))); [nra|].
    rewrite <- Rmult_assoc, P, Rmult_1_l.
    assert (0 < Q2R a) by nra.
    eapply Rle_trans; [exact H|apply Rmult_le_compat_l; lra].
  - destruct (exp_up_pos q x) as [v|] eqn:E; [|discriminate]; intro H.
    apply exp_up_pos_sound in E; [|exact Hx].
    apply qle_real in H; rewrite qmul_real, !Q2R_int in H.
    apply Rmult_le_reg_r with (IZR (unit_of (bits q))); lra.
Qed.
