(* Divergences of rows from bounds on their terms: Kullback and Leibler's at order 1, sums of powers at the others. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Powers Levels Bounds Convex Sources.
Import ListNotations.
Open Scope R_scope.

Section Terms.
  (* Logarithms are measured in a unit: a level, such as 1. *)
  Variables (n m : nat) (q : precision) (unit : level) (Q : list (list QArith_base.Q)).
  Let z := real2 Q.

  (* b units are above log (v / r) at order 1, b is above (v / r)^(a-1) at orders above, and below that at orders below. *)
  Definition number_ok (a v r b : QArith_base.Q) : bool :=
    qle v 0 ||
    let ratio := Qred (Qmult v (Qinv r)) in
    if Qeq_bool a 1 then qlt 0 r && growth_at_least q unit b ratio
    else if above_one a then qlt 0 r && growth_at_most q (Log ratio) (qadd a (Qopp 1)) b
    else qle b 0 || (qlt 0 r && growth_at_least q (Log ratio) (qadd a (Qopp 1)) b).

  Definition terms_ok (needed : nat -> bool) (a : QArith_base.Q) (r : list QArith_base.Q) (bs : list (list QArith_base.Q)) : bool :=
    below m (fun y => qle 0 (at_ r y) && below n (fun x => negb (needed x) || number_ok a (at2 Q x y) (at_ r y) (at2 bs x y))).

  Lemma terms_ok_number : forall needed a r bs x y, terms_ok needed a r bs = true -> (x < n)%nat -> (y < m)%nat ->
    needed x = true -> number_ok a (at2 Q x y) (at_ r y) (at2 bs x y) = true.
  Proof.
    intros needed a r bs x y H Hx Hy N; assert (T := below_true _ _ H y Hy); cbv beta in T; apply andb_prop in T as [_ T].
    assert (K := below_true _ _ T x Hx); cbv beta in K; rewrite N in K; exact K.
  Qed.

  (* Inputs that a source makes impossible count for nothing. *)
  Definition possible (s : knowledge) (duals : nat -> list QArith_base.Q) : list bool :=
    table n (fun x => negb (worst_at_most n s (duals x) (entry x 1) 0)).

  Lemma possible_sound : forall s duals p x, allows n s p -> (x < n)%nat -> 0 < p x -> nth x (possible s duals) false = true.
  Proof.
    intros s duals p x A Hx Pp; unfold possible; rewrite nth_table by assumption; apply negb_true_iff, not_true_is_false.
    intro W; assert (K := worst_sound _ _ _ _ _ _ W A); rewrite Q2R_0 in K.
    rewrite (sum_ext _ _ (fun i => Q2R (entry x 1 i) * p i)), sum_chosen in K by (assumption || (intros; ring)); lra.
  Qed.

  Definition totals (bs : list (list QArith_base.Q)) : list QArith_base.Q :=
    table n (fun x => qsum m (fun y => qmul (at2 Q x y) (at2 bs x y))).

  Lemma totals_real : forall bs x, (x < n)%nat -> Q2R (at_ (totals bs) x) = sum m (fun y => z x y * real2 bs x y).
  Proof.
    intros bs x Hx; unfold totals, at_; rewrite nth_table by assumption; rewrite qsum_real.
    apply sum_ext; intros; rewrite qmul_real; reflexivity.
  Qed.

  Lemma ratio_real : forall v r, 0 < Q2R r -> Q2R (Qred (Qmult v (Qinv r))) = Q2R v / Q2R r.
  Proof.
    intros v r Hr; rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult, Q2R_inv; [reflexivity|].
    intro C; apply Qeq_eqR in C; rewrite Q2R_0 in C; lra.
  Qed.

  Lemma log_ok_sound : forall v r b, number_ok 1 v r b = true -> 0 < Q2R v ->
    0 < Q2R r /\ ln (Q2R v / Q2R r) <= value unit * Q2R b.
  Proof.
    intros v r b H Hv; unfold number_ok in H; apply orb_prop in H as [H|H].
    - apply qle_real in H; rewrite Q2R_0 in H; lra.
    - change (qlt 0 r && growth_at_least q unit b (Qred (v * / r)) = true) in H.
      apply andb_prop in H as [H1 H2]; apply qlt_pos in H1; split; [assumption|].
      apply growth_at_least_sound in H2; rewrite ratio_real in H2 by assumption.
      apply ln_le_of; [apply Rdiv_lt_0_compat; assumption|assumption].
  Qed.

  Lemma power_term : forall a v r, 0 < v -> 0 < r -> power v a * power r (1 - a) = v * exp ((a - 1) * ln (v / r)).
  Proof.
    intros a v r Hv Hr; rewrite power_at by assumption.
    assert (E : v = r * exp (ln (v / r))) by (rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption); field; lra).
    rewrite E at 2; replace (a * ln (v / r)) with (ln (v / r) + (a - 1) * ln (v / r)) by ring; rewrite exp_plus; ring.
  Qed.

  Lemma power_ok_above : forall a v r b, above_one a = true -> 1 < Q2R a -> 0 <= Q2R v -> number_ok a v r b = true ->
    (0 < Q2R v -> 0 < Q2R r) /\ power (Q2R v) (Q2R a) * power (Q2R r) (1 - Q2R a) <= Q2R v * Q2R b.
  Proof.
    intros a v r b A A1 [Hv|Hv] H; [|rewrite <- Hv, power_zero; split; intros; lra].
    unfold number_ok in H; apply orb_prop in H as [H|H]; [apply qle_real in H; rewrite Q2R_0 in H; lra|].
    assert (N : Qeq_bool a 1 = false).
    { apply not_true_is_false; intro C; apply Qeq_bool_eq, Qeq_eqR in C; rewrite Q2R_1 in C; lra. }
    rewrite N, A in H; apply andb_prop in H as [H1 H2]; apply qlt_pos in H1; split; [auto|].
    apply growth_at_most_sound in H2; cbn [value] in H2; rewrite ratio_real, qadd_real, Q2R_opp, Q2R_1 in H2 by assumption.
    rewrite power_term by assumption; apply Rmult_le_compat_l; [lra|].
    rewrite (Rmult_comm (Q2R a - 1)); exact H2.
  Qed.

  Lemma power_ok_below : forall a v r b, above_one a = false -> Q2R a < 1 -> 0 <= Q2R v -> number_ok a v r b = true ->
    Q2R v * Q2R b <= power (Q2R v) (Q2R a) * power (Q2R r) (1 - Q2R a).
  Proof.
    intros a v r b A A1 [Hv|Hv] H; [|rewrite <- Hv, power_zero; lra].
    unfold number_ok in H; apply orb_prop in H as [H|H]; [apply qle_real in H; rewrite Q2R_0 in H; lra|].
    assert (N : Qeq_bool a 1 = false).
    { apply not_true_is_false; intro C; apply Qeq_bool_eq, Qeq_eqR in C; rewrite Q2R_1 in C; lra. }
    rewrite N, A in H; apply orb_prop in H as [H|H].
    - apply qle_real in H; rewrite Q2R_0 in H.
      assert (0 <= power (Q2R v) (Q2R a) * power (Q2R r) (1 - Q2R a)) by (apply Rmult_le_pos; apply power_nonneg).
      assert (0 <= Q2R v * - Q2R b) by (apply Rmult_le_pos; lra); lra.
    - apply andb_prop in H as [H1 H2]; apply qlt_pos in H1.
      apply growth_at_least_sound in H2; cbn [value] in H2; rewrite ratio_real, qadd_real, Q2R_opp, Q2R_1 in H2 by assumption.
      rewrite power_term by assumption; apply Rmult_le_compat_l; [lra|].
      rewrite (Rmult_comm (Q2R a - 1)); exact H2.
  Qed.

  Variables (l : level) (good : list (QArith_base.Q * QArith_base.Q)).
  Hypothesis HG : forall rate g, find_rate good rate = Some g -> Q2R g <= exp (value l * Q2R rate).
  Hypothesis Hz : is_mechanism n m z.

  (* From a total of powers back to a logarithm. *)
  Lemma bounded_log : forall a total eps, has_powers a = true -> 0 < total -> bounded_by a total eps (Q2R (from_one a)) ->
    ln total / (Q2R a - 1) <= eps.
  Proof.
    intros a total eps Ha Ht; unfold bounded_by; destruct (above_one_cases a Ha) as [[-> [A ->]]|[-> [A ->]]]; intro B.
    - apply ln_le_of in B; [|assumption]; apply Rmult_le_reg_r with (Q2R a - 1); [lra|].
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
    - apply le_ln_of in B; apply Rmult_le_reg_r with (1 - Q2R a); [lra|].
      replace (ln total / (Q2R a - 1) * (1 - Q2R a)) with (- ln total) by (field; lra); lra.
  Qed.

  Lemma below_bounded : forall T g rate, 0 < Q2R g -> Q2R g <= exp (value l * rate) -> / Q2R g <= T ->
    exp (- (value l * rate)) <= T.
  Proof.
    intros T g rate H0 H1 H2; eapply Rle_trans; [|exact H2]; rewrite exp_Ropp; apply Rinv_le_contravar; assumption.
  Qed.

  (* Renyi's divergence of rows that are compared at a distance d. *)
  Definition rows_ok (a under d : QArith_base.Q) (x x' : nat) (bs : list QArith_base.Q) : bool :=
    let total := qsum m (fun y => qmul (at2 Q x y) (at_ bs y)) in
    below m (fun y => number_ok a (at2 Q x y) (at2 Q x' y) (at_ bs y)) &&
    if Qeq_bool a 1 then qle 0 d && qle total (qmul under d)
    else match find_rate good (qmul (from_one a) d) with
         | Some g => if above_one a then qle total g else qlt 0 g && qle 1 (qmul g total)
         | None => false
         end.

  Lemma rows_ok_sound : forall a under d x x' bs, qlt 0 a = true ->
    (Qeq_bool a 1 = true -> 0 <= value unit /\ value unit * Q2R under <= value l) -> (x < n)%nat -> (x' < n)%nat ->
    rows_ok a under d x x' bs = true -> diverges_at_most m a (z x) (z x') (value l * Q2R d).
  Proof.
    intros a under d x x' bs A0 HU Hx Hx' H; unfold rows_ok in H; apply andb_prop in H as [H1 H2].
    assert (T : Q2R (qsum m (fun y => qmul (at2 Q x y) (at_ bs y))) = sum m (fun y => z x y * real bs y)).
    { rewrite qsum_real; apply sum_ext; intros; rewrite qmul_real; reflexivity. }
    assert (N : forall y, (y < m)%nat -> number_ok a (at2 Q x y) (at2 Q x' y) (at_ bs y) = true) by (intros y Hy; apply (below_true _ _ H1 y Hy)).
    unfold diverges_at_most; destruct (Qeq_bool a 1) eqn:E1.
    - assert (E : forall v r b, number_ok a v r b = number_ok 1 v r b) by (intros; unfold number_ok; rewrite E1; reflexivity).
      destruct (HU eq_refl) as [U0 HU'].
      assert (K : forall y, (y < m)%nat -> 0 < z x y -> 0 < z x' y /\ ln (z x y / z x' y) <= value unit * real bs y).
      { intros y Hy; apply log_ok_sound; rewrite <- E; apply N; assumption. }
      split; [intros _ y Hy Zp; apply (K y Hy Zp)|].
      apply andb_prop in H2 as [D0 H2]; apply qle_pos in D0; apply qle_real in H2; rewrite T, qmul_real in H2.
      apply Rle_trans with (value unit * sum m (fun y => z x y * real bs y)).
      + rewrite <- sum_scale; apply sum_le; intros y Hy; destruct (proj1 Hz x y Hx Hy) as [Zp|Zp]; [|rewrite <- Zp; lra].
        replace (value unit * (z x y * real bs y)) with (z x y * (value unit * real bs y)) by ring.
        apply Rmult_le_compat_l; [lra|apply (K y Hy Zp)].
      + apply Rle_trans with (value unit * (Q2R under * Q2R d)); [apply Rmult_le_compat_l; assumption|].
        rewrite <- Rmult_assoc; apply Rmult_le_compat_r; assumption.
    - assert (Ha : has_powers a = true) by (unfold has_powers; rewrite A0, E1; reflexivity).
      destruct (find_rate good _) as [g|] eqn:Eg; [|discriminate]; apply HG in Eg; rewrite qmul_real in Eg.
      assert (ZN : forall i y, (i < n)%nat -> (y < m)%nat -> 0 <= z i y) by (apply Hz).
      destruct (above_one_cases a Ha) as [[A [A1 F]]|[A [A1 F]]]; rewrite A in H2.
      + assert (K : forall y, (y < m)%nat -> (0 < z x y -> 0 < z x' y) /\
          power (z x y) (Q2R a) * power (z x' y) (1 - Q2R a) <= z x y * real bs y).
        { intros y Hy; apply power_ok_above; try assumption; [apply (ZN x y); assumption|apply N; assumption]. }
        assert (B : powers m (Q2R a) (z x) (z x') <= Q2R g).
        { apply qle_real in H2; rewrite T in H2; eapply Rle_trans; [|exact H2]; apply sum_le; intros y Hy; apply (K y Hy). }
        assert (P1 : 1 <= powers m (Q2R a) (z x) (z x')).
        { replace 1 with (power (sum m (z x)) (Q2R a)) at 1.
          - apply powers_above; try assumption; [intros; apply ZN; assumption|intros; apply ZN; assumption|apply Hz; assumption|].
            intros y Hy; apply (K y Hy).
          - rewrite (proj2 Hz x Hx), power_exp, ln_1, Rmult_0_r, exp_0 by lra; reflexivity. }
        split; [intros _ y Hy; apply (K y Hy)|split; [lra|]].
        apply bounded_log; [assumption|lra|]; unfold bounded_by; rewrite A.
        eapply Rle_trans; [exact B|eapply Rle_trans; [exact Eg|]]; right; f_equal; ring.
      + apply andb_prop in H2 as [G0 H2]; apply qlt_pos in G0; apply qle_real in H2; rewrite qmul_real, Q2R_1, T in H2.
        assert (B : / Q2R g <= powers m (Q2R a) (z x) (z x')).
        { apply Rle_trans with (sum m (fun y => z x y * real bs y)).
          - apply Rmult_le_reg_l with (Q2R g); [assumption|]; rewrite Rinv_r by lra; exact H2.
          - apply sum_le; intros y Hy; apply power_ok_below; try assumption; [lra|apply (ZN x y); assumption|apply N; assumption]. }
        assert (0 < / Q2R g) by (apply Rinv_0_lt_compat; assumption).
        split; [lra|split; [lra|]]; apply bounded_log; [assumption|lra|]; unfold bounded_by; rewrite A.
        replace (value l * Q2R d * Q2R (from_one a)) with (value l * (Q2R (from_one a) * Q2R d)) by ring.
        eapply below_bounded; eassumption.
  Qed.

  (* Sibson's information is at most what the rows diverge from any law r of the outputs. *)
  Definition sibson_ok (s : knowledge) (duals : nat -> list QArith_base.Q) (a : QArith_base.Q)
      (e : list QArith_base.Q * list (list QArith_base.Q)) : bool :=
    let (r, bs) := e in
    let costs := totals bs in
    let needed := possible s (fun x => duals (1 + x)%nat) in
    has_powers a && law_ok m r && terms_ok (fun x => nth x needed false) a r bs &&
    match find_rate good (from_one a) with
    | Some g => if above_one a then worst_at_most n s (duals 0%nat) (at_ costs) g
                else qlt 0 g && worst_at_most n s (duals 0%nat) (fun x => Qopp (at_ costs x)) (Qopp (Qinv g))
    | None => false
    end.

  Lemma norms_swapped : forall a p (r : nat -> R), a <> 0 -> (forall x, (x < n)%nat -> 0 <= p x) ->
    sum m (fun y => power (norm n a p (fun x => z x y)) a * power (r y) (1 - a))
      = sum n (fun x => p x * sum m (fun y => power (z x y) a * power (r y) (1 - a))).
  Proof.
    intros a p r Ha Hp.
    rewrite (sum_ext _ _ (fun y => sum n (fun x => p x * (power (z x y) a * power (r y) (1 - a))))).
    - rewrite <- (sum_swap n m (fun x y => p x * (power (z x y) a * power (r y) (1 - a)))); apply sum_ext; intros; apply sum_scale.
    - intros y Hy; rewrite norm_power; try assumption.
      rewrite <- sum_scale_r; apply sum_ext; intros; ring.
  Qed.

  Lemma sibson_ok_sound : forall s duals a e p, sibson_ok s duals a e = true -> allows n s p ->
    sibson_information n m (Q2R a) p z <= value l.
  Proof.
    intros s duals a [r bs] p H A; unfold sibson_ok in H.
    apply andb_prop in H as [H H4]; apply andb_prop in H as [H H3]; apply andb_prop in H as [Ha H2].
    apply law_ok_sound in H2; destruct (find_rate good _) as [g|] eqn:Eg; [|discriminate]; apply HG in Eg.
    assert (A0 : 0 < Q2R a) by (apply andb_prop in Ha as [A0 _]; apply qlt_pos; assumption).
    assert (Hp : is_law n p) by apply A.
    set (N := fun y => norm n (Q2R a) p (fun x => z x y)).
    assert (T0 : 0 < sum m N) by (apply norms_positive; [lra|assumption|assumption]).
    assert (K : forall x y, (x < n)%nat -> (y < m)%nat -> 0 < p x -> number_ok a (at2 Q x y) (at_ r y) (at2 bs x y) = true).
    { intros x y Hx Hy Pp; apply (terms_ok_number _ a r bs x y H3 Hx Hy), (possible_sound s _ p); assumption. }
    assert (ZN : forall i y, (i < n)%nat -> (y < m)%nat -> 0 <= z i y) by apply Hz.
    enough (B : bounded_by a (power (sum m N) (Q2R a)) (value l) (Q2R (from_one a))).
    { apply bounded_log in B; [|assumption|apply power_pos; assumption].
      rewrite power_exp, ln_exp in B by assumption.
      eapply Rle_trans; [|exact B]; right; unfold sibson_information; fold (N : nat -> R); unfold Rdiv, N, norm; ring. }
    unfold bounded_by; destruct (above_one_cases a Ha) as [[E [A1 _]]|[E [A1 _]]]; rewrite E in *.
    - assert (KT : forall x y, (x < n)%nat -> (y < m)%nat -> 0 < p x -> (0 < z x y -> 0 < real r y) /\
        power (z x y) (Q2R a) * power (real r y) (1 - Q2R a) <= z x y * real2 bs x y).
      { intros x y Hx Hy Pp; apply power_ok_above; try assumption; [apply (ZN x y); assumption|apply K; assumption]. }
      eapply Rle_trans; [|eapply Rle_trans; [apply (worst_sound _ _ _ _ _ _ H4 A)|exact Eg]].
      eapply Rle_trans; [apply (powers_above m (Q2R a) N (real r)); try assumption; [intros; apply norm_nonneg|apply H2|apply H2|]|].
      + intros y Hy Np; destruct (proj1 H2 y Hy) as [|R0]; [assumption|exfalso].
        assert (N y = 0); [|lra].
        unfold N, norm; rewrite sum_zero; [apply power_zero|]; intros x Hx.
        destruct (proj1 Hp x Hx) as [Pp|<-]; [|ring].
        destruct (ZN x y Hx Hy) as [Zp|<-]; [destruct (KT x y Hx Hy Pp) as [C _]; specialize (C Zp); lra|rewrite power_zero; ring].
      + unfold N; rewrite norms_swapped by (lra || apply Hp); apply sum_le; intros x Hx.
        destruct (proj1 Hp x Hx) as [Pp|<-]; [|lra]; apply Rmult_le_compat_l; [lra|].
        rewrite totals_real by assumption; apply sum_le; intros y Hy; apply (KT x y Hx Hy Pp).
    - apply andb_prop in H4 as [G0 H4]; apply qlt_pos in G0; assert (W := worst_sound _ _ _ _ _ _ H4 A).
      rewrite Q2R_opp, Q2R_inv in W by (intro C; apply Qeq_eqR in C; rewrite Q2R_0 in C; lra).
      eapply below_bounded; [exact G0|exact Eg|].
      eapply Rle_trans; [|apply (powers_below m (Q2R a) N (real r)); try assumption; [intros; apply norm_nonneg|apply H2|apply H2]].
      unfold N; rewrite norms_swapped by (lra || apply Hp).
      assert (L : sum n (fun x => p x * Q2R (at_ (totals bs) x))
                  <= sum n (fun x => p x * sum m (fun y => power (z x y) (Q2R a) * power (real r y) (1 - Q2R a)))).
      { apply sum_le; intros x Hx; destruct (proj1 Hp x Hx) as [Pp|<-]; [|lra]; apply Rmult_le_compat_l; [lra|].
        rewrite totals_real by assumption; apply sum_le; intros y Hy.
        apply power_ok_below; try assumption; [lra|apply (ZN x y); assumption|apply K; assumption]. }
      rewrite (sum_ext _ _ (fun x => -1 * (p x * Q2R (at_ (totals bs) x)))) in W by (intros; rewrite Q2R_opp; ring).
      rewrite sum_scale in W; lra.
  Qed.
End Terms.
