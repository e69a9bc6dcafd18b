(* Multiples of the inequalities that a mechanism with the claimed loss and distortion satisfies. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds Convex Rule.
Import ListNotations.
Open Scope R_scope.

(* Multiples by output, as pairs. *)
Fixpoint by_output (ms : list (nat * Q)) (y : nat) : Q :=
  match ms with
  | [] => 0%Q
  | (y', c) :: rest => if Nat.eqb y y' then qadd c (by_output rest y) else by_output rest y
  end.

Lemma by_output_nonneg : forall ms y, forallb (fun e => qle 0 (snd e)) ms = true -> 0 <= Q2R (by_output ms y).
Proof.
  induction ms as [|[y' c] ms IH]; intros y H; simpl in *; [rewrite Q2R_0; lra|].
  apply andb_prop in H as [H1 H2]; specialize (IH y H2); apply qle_pos in H1.
  destruct (Nat.eqb y y'); [rewrite qadd_real; lra|assumption].
Qed.

Definition mentions (ms : list (nat * Q)) (y : nat) : bool := existsb (fun e => Nat.eqb y (fst e)) ms.

Lemma by_output_quiet : forall ms y, mentions ms y = false -> by_output ms y = 0%Q.
Proof.
  unfold mentions; induction ms as [|[y' c] ms IH]; intros y H; simpl in *; [reflexivity|].
  apply orb_false_elim in H as [H1 H2]; rewrite H1; auto.
Qed.

Section Uses.
  Variables (P : problem) (l : level) (open_loss : bool) (q : precision).
  Let n := inputs P.
  Let m := outputs P.

  (* The situation that is to be contradicted: a mechanism with a loss that is below the level, or equal to it. *)
  Variables (z : nat -> nat -> R) (eps : R) (points : list (list Q)).
  Hypothesis Hz : is_mechanism n m z.
  Hypothesis Hloss : loss_at_most P z eps.
  Hypothesis Hpoints : points_allowed P points.
  Hypothesis Hlevel : if open_loss then below_level l eps else is_finite l = true /\ eps = value l.

  Lemma eps_le : is_finite l = true -> eps <= value l.
  Proof. destruct open_loss; [destruct l; simpl in *; lra || discriminate|intros; lra]. Qed.

  Lemma eps_lt : is_finite l = true -> open_loss = true -> eps < value l.
  Proof. intros F O; rewrite O in Hlevel; destruct l; simpl in *; lra || discriminate. Qed.

  Lemma z_nonneg : forall x y, (x < n)%nat -> (y < m)%nat -> 0 <= z x y.
  Proof. apply Hz. Qed.

  Lemma growth_le : forall rate g, growth_fits l rate g -> 0 <= Q2R rate -> exp (eps * Q2R rate) <= Q2R g.
  Proof.
    intros rate g [F H] Hr; eapply Rle_trans; [|exact H].
    apply exp_le, Rmult_le_compat_r; [assumption|apply eps_le; assumption].
  Qed.

  Lemma growth_lt : forall rate g, growth_fits l rate g -> 0 < Q2R rate -> open_loss = true ->
    exp (eps * Q2R rate) < Q2R g.
  Proof.
    intros rate g [F H] Hr O; eapply Rlt_le_trans; [|exact H].
    apply exp_increasing, Rmult_lt_compat_r; [assumption|apply eps_lt; assumption].
  Qed.

  (* Rows sum to one. *)
  Definition rows_use (prices : list Q) : use :=
    {| coef := fun x _ => Qopp (at_ prices x); rhs := Qopp (qsum n (at_ prices)); strict := false;
       gives := fun _ _ => false; active := fun _ => true |}.

  Lemma rows_hold : forall prices, holds n m z (rows_use prices).
  Proof.
    intro prices; split; [|discriminate].
    exists 0; simpl; split; [lra|split; [|split; discriminate || (intros; discriminate)]].
    unfold pairing; rewrite <- (sum_swap n m (fun x y => Q2R (- at_ prices x) * z x y)).
    rewrite (sum_ext _ _ (fun x => -1 * Q2R (at_ prices x))).
    - rewrite sum_scale, Q2R_opp, qsum_real; lra.
    - intros x Hx; rewrite sum_scale, (proj2 Hz x Hx), Q2R_opp; ring.
  Qed.

  (* The distortion under a law of the source. *)
  Definition law_use (D w : Q) (p : list Q) : use :=
    {| coef := fun x y => qmul (qmul w (at_ p x)) (cost P x y); rhs := qmul w D;
       strict := negb open_loss && qlt 0 w; gives := fun _ _ => false; active := fun _ => true |}.

  Lemma law_holds : forall D w p, 0 <= Q2R w ->
    (if open_loss then distortion_under P (real p) z <= Q2R D else distortion_under P (real p) z < Q2R D) ->
    holds n m z (law_use D w p).
  Proof.
    intros D w p Hw HD; split; [|discriminate].
    assert (E : pairing n m (fun x y => Q2R (coef (law_use D w p) x y)) z = Q2R w * distortion_under P (real p) z).
    { unfold pairing, distortion_under, distortion; fold n m.
      rewrite <- (sum_swap n m (fun x y => Q2R (coef (law_use D w p) x y) * z x y)), <- sum_scale.
      apply sum_ext; intros x _; rewrite <- !sum_scale; apply sum_ext; intros y _.
      simpl; rewrite !qmul_real; unfold real; ring. }
    exists (Q2R w * (Q2R D - distortion_under P (real p) z)).
    rewrite E; simpl; rewrite qmul_real; split; [|split; [lra|split; [|intros; discriminate]]].
    - apply Rmult_le_pos; [assumption|destruct open_loss; lra].
    - intro S; apply andb_prop in S as [S1 S2]; apply qlt_pos in S2.
      destruct open_loss; [discriminate|]; apply Rmult_lt_0_compat; lra.
  Qed.

  (* A ratio bound, with g above e^(level rate), and one above e^level for a slack that grows. *)
  Definition ratio_use (r : ratio) (g one : Q) (ms : list (nat * Q)) : use :=
    let mult := by_output ms in
    let paid := if events r then qlargest m mult else qsum m mult in
    let rising := open_loss && qlt 0 (rate r) in
    {| coef := fun x y => qmul (mult y) (qadd (left r x) (Qopp (qmul g (right r x))));
       rhs := qmul paid (qmul (slack r) (if grows r then one else 1%Q));
       strict := false;
       gives := fun x y => rising && qlt 0 (mult y) && qlt 0 (right r x);
       active := mentions ms |}.

  Lemma sum_columns : forall c (f : nat -> nat -> R) (mult : nat -> R),
    (forall x y, (x < n)%nat -> (y < m)%nat -> c x y = mult y * f x y) ->
    pairing n m c z = sum m (fun y => mult y * sum n (fun x => f x y * z x y)).
  Proof.
    intros c f mult H; unfold pairing; apply sum_ext; intros y Hy; rewrite <- sum_scale.
    apply sum_ext; intros x Hx; rewrite H by assumption; ring.
  Qed.

  Lemma paid_real : forall r ms, forallb (fun e => qle 0 (snd e)) ms = true ->
    ratio_holds n m z eps r ->
    sum m (fun y => Q2R (by_output ms y) * (form n (left r) z y - exp (eps * Q2R (rate r)) * form n (right r) z y))
      <= Q2R (if events r then qlargest m (by_output ms) else qsum m (by_output ms))
         * (Q2R (slack r) * if grows r then exp eps else 1).
  Proof.
    intros r ms Hm H.
    assert (K := H (fun y => Q2R (by_output ms y)) (Q2R (qlargest m (by_output ms)))).
    rewrite qlargest_real in K; destruct (events r).
    - rewrite qlargest_real; apply K; [apply largest_nonneg|].
      intros y Hy; split; [apply by_output_nonneg; assumption|].
      apply (largest_ge m (fun y => Q2R (by_output ms y))); assumption.
    - rewrite qsum_real; apply K; [apply largest_nonneg|].
      intros y Hy; split; [apply by_output_nonneg; assumption|].
      apply (largest_ge m (fun y => Q2R (by_output ms y))); assumption.
  Qed.

  Lemma paid_nonneg : forall r ms, forallb (fun e => qle 0 (snd e)) ms = true ->
    0 <= Q2R (if events r then qlargest m (by_output ms) else qsum m (by_output ms)).
  Proof.
    intros r ms Hm; destruct (events r).
    - rewrite qlargest_real; apply largest_nonneg.
    - rewrite qsum_real; apply sum_nonneg; intros; apply by_output_nonneg; assumption.
  Qed.

  Lemma ratio_use_holds : forall r g one ms, ratio_holds n m z eps r -> (forall x, (x < n)%nat -> 0 <= Q2R (right r x)) ->
    forallb (fun e => qle 0 (snd e)) ms = true -> growth_fits l (rate r) g ->
    qle 0 (rate r) = true -> qle 0 (slack r) = true ->
    (grows r = true -> exp eps <= Q2R one) ->
    holds n m z (ratio_use r g one ms).
  Proof.
    intros r g one ms HR HN Hm Hg H0 Hs Hone.
    apply qle_pos in H0; apply qle_pos in Hs.
    assert (G := growth_le _ _ Hg H0).
    set (G' := exp (eps * Q2R (rate r))) in *.
    assert (MN : forall y, 0 <= Q2R (by_output ms y)) by (intro; apply by_output_nonneg; assumption).
    assert (RN : forall y, (y < m)%nat -> 0 <= form n (right r) z y).
    { intros y Hy; apply sum_nonneg; intros; apply Rmult_le_pos; [apply HN; assumption|apply z_nonneg; assumption]. }
    split.
    - exists (sum m (fun y => Q2R (by_output ms y) * ((Q2R g - G') * form n (right r) z y))).
      split; [|split; [|split; [discriminate|]]].
      + apply sum_nonneg; intros y Hy; apply Rmult_le_pos; [apply MN|apply Rmult_le_pos; [lra|auto]].
      + rewrite (sum_columns _ (fun x y => Q2R (left r x) - Q2R g * Q2R (right r x)) (fun y => Q2R (by_output ms y)))
          by (intros; simpl; rewrite qmul_real, qadd_real, Q2R_opp, qmul_real; ring).
        rewrite <- sum_plus.
        rewrite (sum_ext _ _ (fun y => Q2R (by_output ms y) * (form n (left r) z y - G' * form n (right r) z y))).
        * eapply Rle_trans; [apply (paid_real r ms Hm HR)|].
          simpl; rewrite !qmul_real; apply Rmult_le_compat_l; [apply paid_nonneg; assumption|].
          apply Rmult_le_compat_l; [assumption|].
          destruct (grows r); [apply Hone; reflexivity|rewrite Q2R_1; lra].
        * intros y _; unfold form.
          rewrite (sum_ext n _ (fun x => Q2R (left r x) * z x y - Q2R g * (Q2R (right r x) * z x y))) by (intros; ring).
          rewrite sum_minus, sum_scale; ring.
      + intros E x y Hx Hy S; simpl in S.
        apply andb_prop in S as [S S3]; apply andb_prop in S as [S S2]; apply andb_prop in S as [S1 S4].
        apply qlt_pos in S2, S3, S4.
        assert (L := growth_lt _ _ Hg S4 S1); fold G' in L.
        assert (T : Q2R (by_output ms y) * ((Q2R g - G') * form n (right r) z y) = 0).
        { apply (sum_vanishes m (fun y => Q2R (by_output ms y) * ((Q2R g - G') * form n (right r) z y))); try assumption.
          intros; apply Rmult_le_pos; [apply MN|apply Rmult_le_pos; [lra|auto]]. }
        apply Rmult_integral in T as [T|T]; [lra|]; apply Rmult_integral in T as [T|T]; [lra|].
        assert (F : Q2R (right r x) * z x y = 0).
        { apply (sum_vanishes n (fun x => Q2R (right r x) * z x y)); try assumption.
          intros; apply Rmult_le_pos; [apply HN; assumption|apply z_nonneg; assumption]. }
        apply Rmult_integral in F as [F|F]; lra.
    - intros x y A; simpl in *; rewrite by_output_quiet by assumption.
      split; [rewrite qmul_real, Q2R_0; ring|].
      unfold qlt at 2; simpl; rewrite andb_false_r; reflexivity.
  Qed.

  (* A ratio bound whose right side vanishes says something at every finite loss. *)
  Definition zero_ratio_use (r : ratio) (ms : list (nat * Q)) : use :=
    let mult := by_output ms in
    let paid := if events r then qlargest m mult else qsum m mult in
    {| coef := fun x y => qmul (mult y) (left r x); rhs := qmul paid (slack r); strict := false;
       gives := fun _ _ => false; active := mentions ms |}.

  Definition right_vanishes (V : list (list bool)) (r : ratio) (ms : list (nat * Q)) : bool :=
    below m (fun y => negb (mentions ms y) || below n (fun x => known V x y || qle (right r x) 0)).

  Lemma right_vanishes_sound : forall r V ms y, (forall x, (x < n)%nat -> 0 <= Q2R (right r x)) -> right_vanishes V r ms = true ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) -> (y < m)%nat ->
    by_output ms y = 0%Q \/ form n (right r) z y = 0.
  Proof.
    intros r V ms y HN HV Hknown Hy; assert (T := below_true _ _ HV y Hy); cbv beta in T; apply orb_prop in T as [T|T].
    - left; apply by_output_quiet; destruct (mentions ms y); [discriminate|reflexivity].
    - right; apply sum_zero; intros x Hx; assert (T' := below_true _ _ T x Hx); cbv beta in T'; apply orb_prop in T' as [T'|T'].
      + rewrite Hknown by assumption; ring.
      + apply qle_real in T'; rewrite Q2R_0 in T'; specialize (HN x Hx).
        replace (Q2R (right r x)) with 0 by lra; ring.
  Qed.

  (* At any loss a divergence excludes what the other side excludes. *)
  Lemma exclusion_holds : forall r V ms, slack r = 0%Q -> (forall x, (x < n)%nat -> 0 <= Q2R (right r x)) ->
    (forall y, (y < m)%nat -> form n (right r) z y = 0 -> form n (left r) z y = 0) -> right_vanishes V r ms = true ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) -> holds n m z (zero_ratio_use r ms).
  Proof.
    intros r V ms S HN HE HV Hknown; split.
    - exists 0; split; [lra|split; [|split; [discriminate|intros; discriminate]]].
      rewrite Rplus_0_r, (sum_columns _ (fun x y => Q2R (left r x)) (fun y => Q2R (by_output ms y)))
        by (intros; simpl; rewrite qmul_real; ring).
      simpl; rewrite S, qmul_real, Q2R_0, Rmult_0_r; right; apply sum_zero; intros y Hy.
      destruct (right_vanishes_sound r V ms y HN HV Hknown Hy) as [E|E]; [rewrite E, Q2R_0; ring|].
      apply HE in E; [|assumption]; unfold form in E; rewrite E; ring.
    - intros x y A; simpl in *; rewrite by_output_quiet by assumption; split; [rewrite qmul_real, Q2R_0; ring|reflexivity].
  Qed.

  Lemma zero_ratio_holds : forall r V ms, ratio_holds n m z eps r -> (forall x, (x < n)%nat -> 0 <= Q2R (right r x)) ->
    forallb (fun e => qle 0 (snd e)) ms = true -> right_vanishes V r ms = true ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) ->
    (grows r = true -> Q2R (slack r) = 0) -> holds n m z (zero_ratio_use r ms).
  Proof.
    intros r V ms HR HN Hm HV Hknown Hgrows.
    split.
    - exists 0; split; [lra|split; [|split; [discriminate|intros; discriminate]]].
      rewrite Rplus_0_r.
      rewrite (sum_columns _ (fun x y => Q2R (left r x)) (fun y => Q2R (by_output ms y)))
        by (intros; simpl; rewrite qmul_real; ring).
      eapply Rle_trans; [|eapply Rle_trans; [apply (paid_real r ms Hm HR)|]].
      + right; apply sum_ext; intros y Hy.
        destruct (right_vanishes_sound r V ms y HN HV Hknown Hy) as [E|E]; [rewrite E, Q2R_0; ring|].
        rewrite E; unfold form; ring.
      + simpl; rewrite qmul_real; right; destruct (grows r); [rewrite Hgrows by reflexivity|]; ring.
    - intros x y A; simpl in *; rewrite by_output_quiet by assumption; split; [rewrite qmul_real, Q2R_0; ring|reflexivity].
  Qed.

  (* A sum of maxima, with a mixture of entries in place of each maximum. *)
  Definition maximum_use (w : nat -> Q) (s g : Q) (shares : list (list (nat * Q))) : use :=
    {| coef := fun x y => qmul s (qmul (by_output (nth y shares []) x) (w x)); rhs := qmul s g; strict := open_loss;
       gives := fun _ _ => false; active := fun _ => true |}.

  Definition shares_ok (shares : list (list (nat * Q))) : bool :=
    below m (fun y => forallb (fun e => qle 0 (snd e)) (nth y shares []) && qle (qsum n (by_output (nth y shares []))) 1).

  Lemma maximum_use_holds : forall name w s g shares, maximum_of P points name = Some w ->
    qlt 0 s = true -> shares_ok shares = true -> growth_fits l 1 g -> holds n m z (maximum_use w s g shares).
  Proof.
    intros name w s g shares Hw Hs Hsh Hg; split; [|discriminate].
    assert (HM := maximum_sound P points name w z eps Hloss Hpoints Hw); fold n m in HM.
    apply qlt_pos in Hs.
    assert (One : 0 <= Q2R 1) by (rewrite Q2R_1; lra).
    assert (G := growth_le _ _ Hg One); rewrite Q2R_1, Rmult_1_r in G.
    exists (Q2R s * (Q2R g - exp eps)); split; [apply Rmult_le_pos; lra|split; [|split; [|intros; discriminate]]].
    - simpl rhs; rewrite qmul_real.
      enough (pairing n m (fun x y => Q2R (coef (maximum_use w s g shares) x y)) z <= Q2R s * exp eps) by lra.
      eapply Rle_trans; [|apply Rmult_le_compat_l; [lra|exact HM]].
      unfold pairing; rewrite <- sum_scale; apply sum_le; intros y Hy.
      assert (T := below_true _ _ Hsh y Hy); cbv beta in T; apply andb_prop in T as [T1 T2].
      apply qle_real in T2; rewrite qsum_real, Q2R_1 in T2.
      set (top := largest n (fun x => Q2R (w x) * z x y)).
      rewrite (sum_ext _ _ (fun x => Q2R s * (Q2R (by_output (nth y shares []) x) * (Q2R (w x) * z x y))))
        by (intros; simpl; rewrite !qmul_real; ring).
      rewrite sum_scale; apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (sum n (fun x => Q2R (by_output (nth y shares []) x) * top)).
      + apply sum_le; intros x Hx; apply Rmult_le_compat_l; [apply by_output_nonneg; assumption|].
        apply (largest_ge n (fun x => Q2R (w x) * z x y)); assumption.
      + rewrite sum_scale_r; rewrite <- (Rmult_1_l top) at 2.
        apply Rmult_le_compat_r; [apply largest_nonneg|assumption].
    - intro O; simpl in O; apply Rmult_lt_0_compat; [assumption|].
      assert (L := growth_lt 1 g Hg); rewrite Q2R_1, Rmult_1_r in L; specialize (L ltac:(lra) O); lra.
  Qed.

  (* A sum of entropies, with the tangent at a ratio e^place, and a number above that, in place of each. *)
  Definition places := list (list (option (Q * Q))).
  Definition place_of (t : places) (x y : nat) : option (Q * Q) := nth x (nth y t []) None.
  Definition slope_of (t : places) (x y : nat) : Q := match place_of t x y with Some (a, _) => qadd 1 a | None => 0%Q end.
  Definition ratio_above (t : places) (x y : nat) : Q := match place_of t x y with Some (_, e) => e | None => 0%Q end.

  Definition entropy_use (p : list Q) (w : nat -> Q) (rate s top : Q) (t : places) : use :=
    let received := table m (fun y => qsum n (fun x => qmul (w x) (ratio_above t x y))) in
    {| coef := fun x y => qmul s (qadd (qmul (w x) (slope_of t x y)) (Qopp (qmul (at_ p x) (at_ received y))));
       rhs := qmul s (qmul top rate); strict := open_loss && qlt 0 rate; gives := fun _ _ => false; active := fun _ => true |}.

  Definition places_ok (V : list (list bool)) (w : nat -> Q) (t : places) : bool :=
    below m (fun y => below n (fun x =>
      qle (w x) 0 || match place_of t x y with Some (a, e) => exp_at_most q a e | None => known V x y end)).

  Lemma entropy_use_holds : forall V name p w rate s top t, entropy_of P points name = Some (p, w, rate) ->
    qlt 0 s = true -> places_ok V w t = true -> level_at_most q l top = true ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) ->
    holds n m z (entropy_use p w rate s top t).
  Proof.
    intros V name p w rate s top t Hw Hs Ht Htop HV; split; [|discriminate].
    destruct (entropy_sound P points name p w rate z eps Hz Hloss Hpoints Hw) as [HE [W0 [HA [Hp R0]]]].
    fold n m in HE, W0, HA, Hp.
    apply qlt_pos in Hs.
    assert (F : is_finite l = true) by (destruct l; auto; discriminate).
    assert (T0 := level_at_most_sound _ _ _ Htop); assert (T1 := eps_le F).
    exists (Q2R s * ((Q2R top - eps) * Q2R rate)).
    split; [apply Rmult_le_pos; [|apply Rmult_le_pos]; lra|split; [|split; [|intros; discriminate]]].
    - simpl rhs; rewrite !qmul_real.
      enough (pairing n m (fun x y => Q2R (coef (entropy_use p w rate s top t) x y)) z <= Q2R s * (eps * Q2R rate)) by lra.
      eapply Rle_trans; [|apply Rmult_le_compat_l; [lra|exact HE]].
      unfold pairing, entropies; rewrite <- sum_scale; apply sum_le; intros y Hy.
      set (own := output n (real p) z y).
      rewrite (sum_ext _ _ (fun x => Q2R s * (Q2R (w x) * (Q2R (slope_of t x y) * z x y)
                                     - sum n (fun x => Q2R (w x) * Q2R (ratio_above t x y)) * (real p x * z x y)))).
      2:{ intros x Hx; simpl; unfold at_ at 2; rewrite nth_table by assumption.
          rewrite qmul_real, qadd_real, Q2R_opp, !qmul_real, qsum_real.
          rewrite (sum_ext n (fun i => Q2R (qmul (w i) (ratio_above t i y))) (fun x => Q2R (w x) * Q2R (ratio_above t x y)))
            by (intros; apply qmul_real).
          unfold real; ring. }
      rewrite sum_scale; apply Rmult_le_compat_l; [lra|].
      rewrite sum_minus, sum_scale; change (sum n (fun x => real p x * z x y)) with own.
      rewrite <- sum_scale_r, <- sum_minus; apply sum_le; intros x Hx.
      assert (O : 0 <= own) by (apply (output_nonneg n m); assumption).
      assert (Z := z_nonneg x y Hx Hy).
      assert (B := below_true _ _ (below_true _ _ Ht y Hy) x Hx); cbv beta in B.
      apply orb_prop in B as [B|B].
      + apply qle_real in B; rewrite Q2R_0 in B; specialize (W0 x Hx).
        replace (Q2R (w x)) with 0 by lra; lra.
      + destruct (W0 x Hx) as [W|W]; [|rewrite <- W; lra].
        replace (Q2R (w x) * (Q2R (slope_of t x y) * z x y) - Q2R (w x) * Q2R (ratio_above t x y) * own)
          with (Q2R (w x) * (Q2R (slope_of t x y) * z x y - Q2R (ratio_above t x y) * own)) by ring.
        apply Rmult_le_compat_l; [lra|].
        unfold slope_of, ratio_above; destruct (place_of t x y) as [[a e]|].
        * rewrite qadd_real, Q2R_1; apply exp_at_most_sound in B.
          eapply Rle_trans; [|apply (entropy_tangent (z x y) own (Q2R a)); auto; intro Zp; apply (HA x y); assumption].
          assert (exp (Q2R a) * own <= Q2R e * own) by (apply Rmult_le_compat_r; assumption); lra.
        * rewrite (HV x y) by assumption; rewrite Q2R_0; lra.
    - intro Op; simpl in Op; apply andb_prop in Op as [Op Or]; apply qlt_pos in Or.
      apply Rmult_lt_0_compat; [assumption|apply Rmult_lt_0_compat; [|assumption]].
      assert (L := eps_lt F Op); lra.
  Qed.
End Uses.
