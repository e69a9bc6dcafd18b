(* What is attained: a checker of mechanisms, and the theorem that what it accepts is true. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds Convex Sources Cover Terms.
Import ListNotations.
Open Scope R_scope.

(* What the checker need not find by itself. *)
Record hints := {
  exact : precision;
  factors : list (Q * Q);                     (* a rate, and a number below e^(level rate) *)
  in_levels : bool;                           (* whether logarithms are measured in multiples of the level *)
  under : Q;                                  (* so many units are below the level, where logarithms are added up *)
  duals : list (list Q);                      (* multipliers for the inequalities of a polytope *)
  likeliest : list (Q * nat);                 (* (w, k) for each input x: p(x) <= w p(k) throughout the source *)
  cells : option cover;                       (* cells whose corners decide, where a loss is convex in the distribution *)
  corners : list (list Q);                    (* all of these, where each is compared below *)
  compared : list (list Q * list (list Q))    (* a law r of the outputs, and numbers beside log (Q(y|x) / r(y)) or its power;
                                                 for divergences of rows nothing, and such numbers for each input *)
}.

Section Check.
  Variables (P : problem) (l : level) (h : hints) (Q : list (list QArith_base.Q)).
  Let n := inputs P.
  Let m := outputs P.
  Let z := real2 Q.

  Definition unit : level := if in_levels h then l else Number 1.

  Definition under_ok : bool :=
    if in_levels h then is_nonneg l && qle (under h) 1 else level_at_least (exact h) l (under h).

  Definition dual (k : nat) : list QArith_base.Q := nth k (duals h) [].

  (* Each exponential is enclosed once. *)
  Definition good_factors : list (QArith_base.Q * QArith_base.Q) :=
    filter (fun e => growth_at_least (exact h) l (fst e) (snd e)) (factors h).
  Definition factor_of : QArith_base.Q -> option QArith_base.Q := find_rate good_factors.

  Definition mechanism_ok : bool :=
    below n (fun x => below m (fun y => qle 0 (at2 Q x y)) && qeq (qsum m (at2 Q x)) 1).

  Definition cost_ok (D : QArith_base.Q) : bool :=
    let e := table n (fun x => qsum m (fun y => qmul (at2 Q x y) (cost P x y))) in
    worst_at_most n (source P) (dual 0) (at_ e) D.

  Definition positive_part (a : QArith_base.Q) : QArith_base.Q := if qle a 0 then 0%Q else a.

  (* The sum over outputs of (f - g f')+ *)
  Definition excess (f f' : nat -> QArith_base.Q) (g : QArith_base.Q) : QArith_base.Q :=
    qsum m (fun y => positive_part (qsub (f y) (qmul g (f' y)))).

  Definition pairs_ok (test : nat -> nat -> QArith_base.Q -> bool) : bool :=
    let good := good_factors in
    below n (fun x => below n (fun x' =>
      match distance P x x' with
      | None => true
      | Some d => match find_rate good d with Some g => test x x' g | None => false end
      end)).

  Definition events_ok (delta : QArith_base.Q) : bool := pairs_ok (fun x x' g => qle (excess (at2 Q x) (at2 Q x') g) delta).

  Definition outputs_ok (delta : QArith_base.Q) : bool :=
    pairs_ok (fun x x' g => below m (fun y => qle (qsub (at2 Q x y) (qmul g (at2 Q x' y))) delta)).

  Definition identifiability_ok : bool :=
    pairs_ok (fun x x' g => below m (fun y =>
      let a := at2 Q x y in let b := Qopp (qmul g (at2 Q x' y)) in
      worst_at_most n (source P) (dual (1 + (x * n + x') * m + y)) (fun k => qadd (entry x a k) (entry x' b k)) 0)).

  Definition maximal_information_ok : bool :=
    match factor_of 1 with
    | None => false
    | Some g => below m (fun y =>
        let top := qlargest n (fun x => at2 Q x y) in
        let e := table n (fun x => Qopp (qmul g (at2 Q x y))) in
        worst_at_most n (source P) (dual (1 + y)) (at_ e) (Qopp top))
    end.

  (* A distribution from which no row differs much. *)
  Definition near (delta g : QArith_base.Q) (p : list QArith_base.Q) : bool :=
    let own := table m (fun y => qsum n (fun x => qmul (at_ p x) (at2 Q x y))) in
    below n (fun x => qle (excess (at_ own) (at2 Q x) g) delta && qle (excess (at2 Q x) (at_ own) g) (qmul delta g)).

  Definition local_ok (delta : QArith_base.Q) : bool :=
    qle 0 delta &&
    match factor_of 1 with
    | None => false
    | Some g => qlt 0 g &&
        match source P, cells h with
        | Prior p, _ => near delta g p
        | Finite ps, _ => forallb (near delta g) ps
        | s, Some t => covered n s (fun cell _ => forallb (near delta g) cell) (root n s) t
        | s, None => below m (fun y =>
            let e := table n (fun x => at2 Q x y) in
            let e' := table n (fun x => Qopp (qmul g (at2 Q x y))) in
            below n (fun x => worst_at_most n s (dual (1 + m + y)) (at_ e) (qmul g (at2 Q x y))
                              && worst_at_most n s (dual (1 + y)) (at_ e') (Qopp (at2 Q x y))))
        end
    end.

  Definition leakage_ok : bool :=
    match factor_of 1 with
    | None => false
    | Some g => qle (qsum m (fun y => qlargest n (fun x => at2 Q x y))) g
    end.

  Definition share_of (x : nat) : QArith_base.Q * nat := nth x (likeliest h) (1%Q, x).

  Definition share_ok (x : nat) : bool :=
    let (w, k) := share_of x in
    qle 0 w && Nat.ltb k n &&
    worst_at_most n (source P) (dual (1 + x)) (fun j => qadd (entry x 1 j) (entry k (Qopp w) j)) 0.

  (* The chance of guessing the input after the output. *)
  Definition guessed (p : list QArith_base.Q) : QArith_base.Q := qsum m (fun y => qlargest n (fun x => qmul (at_ p x) (at2 Q x y))).

  Definition guessing_ok : bool :=
    match factor_of 1 with
    | None => false
    | Some g =>
        match source P, cells h with
        | Prior p, _ => qle (guessed p) (qmul g (qlargest n (at_ p)))
        | Finite ps, _ => forallb (fun p => qle (guessed p) (qmul g (qlargest n (at_ p)))) ps
        | s, Some t => qle 0 g &&
            covered n s (fun cell k => Nat.ltb k n && forallb (fun p => qle (guessed p) (qmul g (at_ p k))) cell) (root n s) t
        | _, None => below n share_ok && qle (qsum m (fun y => qlargest n (fun x => qmul (fst (share_of x)) (at2 Q x y)))) g
        end
    end.

  Definition information_within (s : knowledge) (e : list QArith_base.Q * list (list QArith_base.Q)) : bool :=
    let (r, logs) := e in
    let needed := possible n s (fun x => dual (2 + x)) in
    law_ok m r && terms_ok n m (exact h) unit Q (fun x => nth x needed false) 1 r logs && worst_at_most n s (dual 1) (at_ (totals n m Q logs)) (under h).

  Definition pointwise_within (s : knowledge) (e : list QArith_base.Q * list (list QArith_base.Q)) : bool :=
    let (r, logs) := e in
    terms_ok n m (exact h) unit Q (fun _ => true) 1 r logs && below n (fun x => qle (at_ (totals n m Q logs) x) (under h)) &&
    below m (fun y => let e := table n (fun x => Qopp (at2 Q x y)) in
      worst_at_most n s (dual (1 + y)) (at_ e) (Qopp (at_ r y))).

  (* A divergence is convex in the distribution: cells are decided by corners, each compared once. *)
  Definition corners_ok : bool :=
    below (length (corners h)) (fun i => law_ok n (nth i (corners h) [])
      && pointwise_within (Prior (nth i (corners h) [])) (nth i (compared h) ([], []))).

  Definition is_corner (p : list QArith_base.Q) : bool :=
    existsb (fun q => below n (fun x => qeq (at_ p x) (at_ q x))) (corners h).

  Definition by_member (test : knowledge -> list QArith_base.Q * list (list QArith_base.Q) -> bool) : bool :=
    match source P with
    | Finite ps => below (length ps) (fun i => test (Prior (nth i ps [])) (nth i (compared h) ([], [])))
    | s => test s (nth 0 (compared h) ([], []))
    end.

  Definition pointwise_ok : bool :=
    match cells h with
    | Some t => corners_ok && covered n (source P) (fun cell _ => forallb is_corner cell) (root n (source P)) t
    | None => by_member pointwise_within
    end.

  Definition renyi_ok (a : QArith_base.Q) : bool :=
    let good := good_factors in
    qlt 0 a && (negb (Qeq_bool a 1) || under_ok) &&
    below n (fun x => below n (fun x' =>
      match distance P x x' with
      | None => true
      | Some d => rows_ok m (exact h) unit Q good a (under h) d x x' (nth x' (snd (nth x (compared h) ([], []))) [])
      end)).

  Definition loss_ok : bool :=
    match l with
    | Infinite => true
    | _ =>
      match notion P with
      | differential_privacy => events_ok 0
      | approximate_differential_privacy delta => events_ok delta
      | pointwise_approximate_differential_privacy delta => outputs_ok delta
      | identifiability => identifiability_ok
      | maximal_information => maximal_information_ok
      | local_information_privacy delta => local_ok delta
      | maximal_leakage | min_entropy_capacity => leakage_ok
      | min_entropy_leakage => guessing_ok
      | mutual_information => under_ok && by_member information_within
      | capacity => under_ok && information_within Everything (nth 0 (compared h) ([], []))
      | pointwise_leakage => under_ok &&
          pointwise_ok
      | renyi_differential_privacy a => renyi_ok a
      | sibson_mutual_information a =>
          let good := good_factors in by_member (fun s => sibson_ok n m (exact h) unit Q good s (fun x => dual (1 + x)) a)
      end
    end.

  Lemma mechanism_ok_sound : mechanism_ok = true -> is_mechanism n m z.
  Proof.
    intro H; split.
    - intros x y Hx Hy; assert (T := below_true _ _ H x Hx); cbv beta in T; apply andb_prop in T as [T _].
      apply qle_pos, (below_true _ _ T y Hy).
    - intros x Hx; assert (T := below_true _ _ H x Hx); cbv beta in T; apply andb_prop in T as [_ T].
      apply qeq_real in T; rewrite qsum_real, Q2R_1 in T; exact T.
  Qed.

  Lemma cost_ok_sound : forall D p, cost_ok D = true -> allows n (source P) p -> distortion_under P p z <= Q2R D.
  Proof.
    intros D p H A; assert (W := worst_sound _ _ _ _ _ _ H A).
    eapply Rle_trans; [|exact W]; right; unfold distortion_under, distortion; fold n m; apply sum_ext; intros x Hx.
    unfold at_; rewrite nth_table by assumption; rewrite qsum_real; f_equal; apply sum_ext; intros; rewrite qmul_real; reflexivity.
  Qed.

  Lemma factor_of_sound : forall rate g, factor_of rate = Some g -> Q2R g <= exp (value l * Q2R rate).
  Proof.
    intros rate g H; apply find_rate_sound in H as [r [H E]]; cbn [fst snd] in H.
    rewrite <- E; eapply growth_at_least_sound; exact H.
  Qed.

  Lemma factor_one : forall g, factor_of 1 = Some g -> Q2R g <= exp (value l).
  Proof. intros g H; apply factor_of_sound in H; rewrite Q2R_1, Rmult_1_r in H; exact H. Qed.

  Lemma positive_part_ge : forall a, Q2R a <= Q2R (positive_part a) /\ 0 <= Q2R (positive_part a).
  Proof.
    intro a; unfold positive_part; destruct (qle a 0) eqn:E.
    - apply qle_real in E; rewrite Q2R_0 in *; lra.
    - split; [lra|]; left; rewrite <- Q2R_0; apply qlt_real; unfold qlt, qle in *; rewrite E; reflexivity.
  Qed.

  Lemma excess_sound : forall f f' g b G event, qle (excess f f' g) b = true -> Q2R g <= G ->
    (forall y, (y < m)%nat -> 0 <= Q2R (f' y)) ->
    chance m (fun y => Q2R (f y)) event <= G * chance m (fun y => Q2R (f' y)) event + Q2R b.
  Proof.
    intros f f' g b G event H HG H0; apply qle_real in H; unfold excess in H; rewrite qsum_real in H.
    enough (chance m (fun y => Q2R (f y) - G * Q2R (f' y)) event <= Q2R b) by (rewrite chance_minus in *; lra).
    eapply Rle_trans; [|exact H]; unfold chance; apply sum_le; intros y Hy.
    destruct (positive_part_ge (qsub (f y) (qmul g (f' y)))) as [K1 K2]; rewrite qsub_real, qmul_real in K1.
    destruct (event y); [|assumption].
    assert (Q2R g * Q2R (f' y) <= G * Q2R (f' y)) by (apply Rmult_le_compat_r; auto); lra.
  Qed.

  Lemma pairs_ok_sound : forall test x x' d, pairs_ok test = true -> (x < n)%nat -> (x' < n)%nat ->
    distance P x x' = Some d -> exists g, test x x' g = true /\ Q2R g <= exp (value l * Q2R d).
  Proof.
    intros test x x' d H Hx Hx' Ed; assert (T := below_true _ _ (below_true _ _ H x Hx) x' Hx'); cbv beta in T.
    rewrite Ed in T; destruct (find_rate good_factors d) as [g|] eqn:Eg; [|discriminate].
    exists g; split; [exact T|apply factor_of_sound; exact Eg].
  Qed.

  Hypothesis Hz : is_mechanism n m z.
  Hypothesis Hn : (0 < n)%nat.

  Lemma z_nonneg : forall x y, (x < n)%nat -> (y < m)%nat -> 0 <= Q2R (at2 Q x y).
  Proof. apply Hz. Qed.

  Lemma events_ok_sound : forall delta, events_ok delta = true -> keeps_events n m (distance P) (Q2R delta) z (value l).
  Proof.
    intros delta H x x' d event Hx Hx' Ed.
    destruct (pairs_ok_sound _ x x' d H Hx Hx' Ed) as [g [T G]].
    apply (excess_sound _ _ _ _ _ event T G); intros; apply z_nonneg; assumption.
  Qed.

  Lemma outputs_ok_sound : forall delta, outputs_ok delta = true -> keeps_outputs n m (distance P) (Q2R delta) z (value l).
  Proof.
    intros delta H x x' d y Hx Hx' Hy Ed.
    destruct (pairs_ok_sound _ x x' d H Hx Hx' Ed) as [g [T G]].
    assert (K := below_true _ _ T y Hy); cbv beta in K; apply qle_real in K; rewrite qsub_real, qmul_real in K.
    assert (Q2R g * Q2R (at2 Q x' y) <= exp (value l * Q2R d) * Q2R (at2 Q x' y))
      by (apply Rmult_le_compat_r; [apply z_nonneg; assumption|assumption]).
    unfold z, real2; lra.
  Qed.

  Lemma sum_entry : forall i c p, (i < n)%nat -> sum n (fun k => p k * Q2R (entry i c k)) = p i * Q2R c.
  Proof.
    intros i c p Hi; rewrite (Rmult_comm (p i)), <- (sum_at_place n i (Q2R c) p Hi).
    apply sum_ext; intros k _; unfold entry, at_place; destruct (Nat.eqb k i); rewrite ?Q2R_0; ring.
  Qed.

  Lemma identifiability_sound : identifiability_ok = true ->
    forall p, allows n (source P) p -> identifies n m (distance P) p z (value l).
  Proof.
    intros H p A x x' d y Hx Hx' Hy Ed O.
    destruct (pairs_ok_sound _ x x' d H Hx Hx' Ed) as [g [T G]].
    assert (K := worst_sound _ _ _ _ _ _ (below_true _ _ T y Hy) A).
    rewrite (sum_ext _ _ (fun k => p k * Q2R (entry x (at2 Q x y) k)
                                   + p k * Q2R (entry x' (Qopp (qmul g (at2 Q x' y))) k))) in K
      by (intros; rewrite qadd_real; ring).
    rewrite sum_plus, !sum_entry, Q2R_0, Q2R_opp, qmul_real in K by assumption.
    change (Q2R (at2 Q x y)) with (z x y) in K; change (Q2R (at2 Q x' y)) with (z x' y) in K.
    assert (0 <= p x' * z x' y) by (apply Rmult_le_pos; [apply A; assumption|apply Hz; assumption]).
    assert (Q2R g * (p x' * z x' y) <= exp (value l * Q2R d) * (p x' * z x' y)) by (apply Rmult_le_compat_r; assumption).
    apply Rmult_le_reg_r with (output n p z y); [assumption|].
    replace (p x * z x y / output n p z y * output n p z y) with (p x * z x y) by (field; lra).
    replace (exp (value l * Q2R d) * (p x' * z x' y / output n p z y) * output n p z y)
      with (exp (value l * Q2R d) * (p x' * z x' y)) by (field; lra).
    lra.
  Qed.

  Lemma worst_scaled : forall s u c y b p, worst_at_most n s u (at_ (table n (fun x => Qopp (qmul c (at2 Q x y))))) b = true ->
    allows n s p -> - (Q2R c * output n p z y) <= Q2R b.
  Proof.
    intros s u c y b p H A; assert (K := worst_sound _ _ _ _ _ _ H A).
    eapply Rle_trans; [|exact K]; right; unfold output.
    rewrite <- sum_scale; replace (- sum n (fun i => Q2R c * (p i * z i y))) with (-1 * sum n (fun i => Q2R c * (p i * z i y))) by ring.
    rewrite <- sum_scale; apply sum_ext; intros x Hx.
    unfold at_; rewrite nth_table by assumption; rewrite Q2R_opp, qmul_real; unfold z, real2; ring.
  Qed.

  Lemma maximal_information_sound : maximal_information_ok = true ->
    forall p, allows n (source P) p -> informs n m p z (value l).
  Proof.
    unfold maximal_information_ok; destruct (factor_of 1) as [g|] eqn:Eg; [|discriminate].
    intros H p A x y Hx Hy Zp; apply factor_one in Eg.
    assert (K := worst_scaled _ _ _ _ _ _ (below_true _ _ H y Hy) A); rewrite Q2R_opp, qlargest_real in K.
    assert (T := largest_ge n (fun x => Q2R (at2 Q x y)) x Hx); cbv beta in T; change (Q2R (at2 Q x y)) with (z x y) in T.
    assert (O := output_nonneg n m p z y (proj1 A) Hz Hy).
    assert (B : z x y <= Q2R g * output n p z y) by lra.
    assert (O' : 0 < output n p z y) by (destruct O as [O|O]; [assumption|rewrite <- O in B; lra]).
    split; [assumption|]; apply ln_le_of; [apply Rdiv_lt_0_compat; assumption|].
    apply Rle_trans with (Q2R g); [|assumption].
    apply Rmult_le_reg_r with (output n p z y); [assumption|].
    replace (z x y / output n p z y * output n p z y) with (z x y) by (field; lra); assumption.
  Qed.

  Lemma one_mixture : forall p q, (forall x, (x < n)%nat -> p x = real q x) -> is_mixture n [q] (fun _ => 1) p.
  Proof.
    intros p q E; split; [split; [intros; lra|simpl; lra]|].
    intros x Hx; rewrite E by assumption; simpl; unfold real, real2, at2, at_; simpl; ring.
  Qed.

  Lemma chance_output : forall p event, chance m (output n p z) event = sum n (fun x => p x * chance m (z x) event).
  Proof.
    intros p event; unfold chance, output.
    rewrite (sum_ext n _ (fun x => sum m (fun y => p x * (if event y then z x y else 0)))) by (intros; rewrite sum_scale; reflexivity).
    rewrite sum_swap; apply sum_ext; intros y _; destruct (event y); [reflexivity|].
    symmetry; apply sum_zero; intros; ring.
  Qed.

  Lemma chance_le : forall f f' G b event, 0 <= b -> (forall y, (y < m)%nat -> f y <= G * f' y) ->
    chance m f event <= G * chance m f' event + b.
  Proof.
    intros f f' G b event Hb H; enough (chance m f event <= G * chance m f' event) by lra.
    unfold chance; rewrite <- sum_scale; apply sum_le; intros y Hy; destruct (event y); [auto|lra].
  Qed.

  Lemma near_mixture : forall delta g G x event cell w p, 0 <= Q2R delta -> 0 < Q2R g -> Q2R g <= G -> (x < n)%nat ->
    forallb (near delta g) cell = true -> is_mixture n cell w p ->
    chance m (output n p z) event <= G * chance m (z x) event + Q2R delta /\
    chance m (z x) event <= G * chance m (output n p z) event + G * Q2R delta.
  Proof.
    intros delta g G x event cell w p Hd Hg HG Hx H M; rewrite forallb_forall in H; assert (M' := M); destruct M' as [[W0 W1] _].
    rewrite chance_output, (mixture_sum n cell w p (fun x => chance m (z x) event) M).
    set (own := fun i => output n (real (nth i cell [])) z).
    rewrite (sum_ext _ _ (fun i => w i * chance m (own i) event)) by (intros; unfold own; rewrite chance_output; reflexivity).
    assert (B : forall i, (i < length cell)%nat -> chance m (own i) event <= G * chance m (z x) event + Q2R delta /\
        chance m (z x) event <= G * (chance m (own i) event + Q2R delta)).
    { intros i Hi; assert (T := below_true _ _ (H _ (in_nth_list cell i Hi)) x Hx); cbv beta in T.
      apply andb_prop in T as [T1 T2]; set (t := table m _) in T1, T2.
      assert (Eo : forall y, (y < m)%nat -> Q2R (at_ t y) = own i y).
      { intros y Hy; unfold t, at_ at 1; rewrite nth_table by assumption; rewrite qsum_real.
        apply sum_ext; intros; rewrite qmul_real; reflexivity. }
      split.
      - assert (K := excess_sound _ _ _ _ G event T1 HG (fun y Hy => z_nonneg x y Hx Hy)).
        rewrite (chance_ext m (fun y => Q2R (at_ t y)) (own i) event Eo) in K; exact K.
      - assert (K : chance m (fun y => Q2R (at2 Q x y)) event
                    <= Q2R g * chance m (fun y => Q2R (at_ t y)) event + Q2R (qmul delta g)).
        { apply qle_real in T2; unfold excess in T2; rewrite qsum_real in T2.
          enough (chance m (fun y => Q2R (at2 Q x y) - Q2R g * Q2R (at_ t y)) event <= Q2R (qmul delta g))
            by (rewrite chance_minus in *; lra).
          eapply Rle_trans; [|exact T2]; unfold chance; apply sum_le; intros y Hy.
          destruct (positive_part_ge (qsub (at2 Q x y) (qmul g (at_ t y)))) as [K1 K2]; rewrite qsub_real, qmul_real in K1.
          destruct (event y); assumption. }
        rewrite qmul_real, (chance_ext m (fun y => Q2R (at_ t y)) (own i) event Eo) in K.
        change (fun y => Q2R (at2 Q x y)) with (z x) in K.
        assert (C0 : 0 <= chance m (z x) event).
        { apply sum_nonneg; intros y Hy; destruct (event y); [apply Hz; assumption|lra]. }
        assert (0 <= chance m (own i) event + Q2R delta).
        { destruct (Rle_lt_dec 0 (chance m (own i) event + Q2R delta)); [assumption|].
          assert (0 < Q2R g * - (chance m (own i) event + Q2R delta)) by (apply Rmult_lt_0_compat; lra); lra. }
        assert (Q2R g * (chance m (own i) event + Q2R delta) <= G * (chance m (own i) event + Q2R delta))
          by (apply Rmult_le_compat_r; assumption); lra. }
    split.
    - apply Rle_trans with (sum (length cell) (fun i => w i * (G * chance m (z x) event + Q2R delta))).
      + apply sum_le; intros i Hi; apply Rmult_le_compat_l; [auto|apply B; assumption].
      + rewrite sum_scale_r, W1; lra.
    - apply Rle_trans with (sum (length cell) (fun i => w i * (G * (chance m (own i) event + Q2R delta)))).
      + rewrite <- (Rmult_1_l (chance m (z x) event)), <- W1, <- sum_scale_r.
        apply sum_le; intros i Hi; apply Rmult_le_compat_l; [auto|apply B; assumption].
      + right; rewrite (sum_ext _ _ (fun i => G * (w i * chance m (own i) event) + G * Q2R delta * w i)) by (intros; ring).
        rewrite sum_plus, !sum_scale, W1; ring.
  Qed.

  Lemma local_sound : forall delta, local_ok delta = true ->
    forall p, allows n (source P) p -> stays_near n m (Q2R delta) p z (value l).
  Proof.
    intros delta; unfold local_ok; intros H p A x event Hx; apply andb_prop in H as [Hd H]; apply qle_pos in Hd.
    destruct (factor_of 1) as [g|] eqn:Eg; [|discriminate]; apply factor_one in Eg.
    apply andb_prop in H as [Hg H]; apply qlt_pos in Hg.
    set (G := exp (value l)) in *.
    assert (E0 : 0 < G) by apply exp_pos.
    enough (B : chance m (output n p z) event <= G * chance m (z x) event + Q2R delta /\
                chance m (z x) event <= G * chance m (output n p z) event + G * Q2R delta).
    { destruct B as [B1 B2]; split; [|exact B1].
      apply Rmult_le_compat_l with (r := exp (- value l)) in B2; [|apply Rlt_le, exp_pos].
      assert (E1 := exp_pos_neg (value l)); fold G in E1.
      replace (exp (- value l) * (G * chance m (output n p z) event + G * Q2R delta))
        with (G * exp (- value l) * (chance m (output n p z) event + Q2R delta)) in B2 by ring.
      rewrite E1 in B2; lra. }
    assert (R : forall cell w p, forallb (near delta g) cell = true -> is_mixture n cell w p ->
      chance m (output n p z) event <= G * chance m (z x) event + Q2R delta /\
      chance m (z x) event <= G * chance m (output n p z) event + G * Q2R delta)
      by (intros cell w q; apply near_mixture; assumption).
    assert (S : forall s t, allows n s p -> covered n s (fun cell _ => forallb (near delta g) cell) (root n s) t = true ->
      chance m (output n p z) event <= G * chance m (z x) event + Q2R delta /\
      chance m (z x) event <= G * chance m (output n p z) event + G * Q2R delta).
    { intros s t A' T; apply (covered_sound n s (fun cell _ => forallb (near delta g) cell)
        (fun p => chance m (output n p z) event <= G * chance m (z x) event + Q2R delta /\
          chance m (z x) event <= G * chance m (output n p z) event + G * Q2R delta)) with (t := t) (cell := root n s);
        try assumption; [intros cell _ w q T' _; apply R; assumption|apply root_mixture; assumption]. }
    assert (E : forall s, allows n s p -> below m (fun y =>
            let e := table n (fun x => at2 Q x y) in
            let e' := table n (fun x => Qopp (qmul g (at2 Q x y))) in
            below n (fun x => worst_at_most n s (dual (1 + m + y)) (at_ e) (qmul g (at2 Q x y))
                              && worst_at_most n s (dual (1 + y)) (at_ e') (Qopp (at2 Q x y)))) = true ->
      chance m (output n p z) event <= G * chance m (z x) event + Q2R delta /\
      chance m (z x) event <= G * chance m (output n p z) event + G * Q2R delta).
    { intros s A' T.
      assert (B : forall y, (y < m)%nat -> output n p z y <= G * z x y /\ z x y <= G * output n p z y).
      { intros y Hy; assert (T' := below_true _ _ (below_true _ _ T y Hy) x Hx); cbv beta in T'.
        apply andb_prop in T' as [T1 T2].
        assert (K1 := worst_sound _ _ _ _ _ _ T1 A'); assert (K2 := worst_scaled _ _ _ _ _ _ T2 A').
        rewrite qmul_real in K1; rewrite Q2R_opp in K2.
        change (Q2R (at2 Q x y)) with (z x y) in K1, K2.
        assert (O := output_nonneg n m p z y (proj1 A') Hz Hy); assert (Z := proj1 Hz x y Hx Hy).
        assert (Q2R g * z x y <= G * z x y) by (apply Rmult_le_compat_r; assumption).
        assert (Q2R g * output n p z y <= G * output n p z y) by (apply Rmult_le_compat_r; assumption).
        split; [|lra].
        eapply Rle_trans; [|eapply Rle_trans; [exact K1|assumption]].
        right; apply sum_ext; intros x' Hx'; unfold at_; rewrite nth_table by assumption; reflexivity. }
      split; apply chance_le; try (intros; apply B; assumption); [assumption|apply Rmult_le_pos; lra]. }
    destruct (source P) as [q|ps| | | | |]; try (destruct (cells h); [eapply S|apply E in H]; eassumption).
    - apply (R [q] (fun _ => 1)); [simpl; rewrite H; reflexivity|apply one_mixture, A].
    - destruct A as [_ [i [Hi A]]]; rewrite forallb_forall in H; specialize (H _ (in_nth_list ps i Hi)).
      apply (R [nth i ps []] (fun _ => 1)); [simpl; rewrite H; reflexivity|apply one_mixture, A].
  Qed.

  Lemma leakage_bound : leakage_ok = true -> sum m (fun y => largest n (fun x => z x y)) <= exp (value l).
  Proof.
    unfold leakage_ok; destruct (factor_of 1) as [g|] eqn:Eg; [|discriminate]; apply factor_one in Eg; intro H.
    apply qle_real in H; rewrite qsum_real in H; eapply Rle_trans; [|eapply Rle_trans; [exact H|exact Eg]].
    right; apply sum_ext; intros; rewrite qlargest_real; reflexivity.
  Qed.

  Lemma leakage_positive : 0 < sum m (fun y => largest n (fun x => z x y)).
  Proof.
    apply Rlt_le_trans with (sum m (z 0%nat)); [rewrite (proj2 Hz 0%nat Hn); lra|].
    apply sum_le; intros y Hy; apply (largest_ge n (fun x => z x y)); assumption.
  Qed.

  Lemma largest_positive : forall p, is_law n p -> 0 < largest n p.
  Proof.
    intros p [Hp Hs]; destruct (largest_nonneg n p) as [|E]; [assumption|exfalso].
    assert (sum n p <= sum n (fun _ => 0)) by (apply sum_le; intros; rewrite E; apply largest_ge; assumption).
    rewrite sum_const, Rmult_0_r in H; lra.
  Qed.

  Lemma guess_positive : forall p, is_law n p -> 0 < sum m (fun y => largest n (fun x => p x * z x y)).
  Proof.
    intros p [Hp Hs].
    assert (E : sum m (output n p z) = 1).
    { unfold output; rewrite <- (sum_swap n m (fun x y => p x * z x y)), <- Hs; apply sum_ext; intros x Hx.
      rewrite sum_scale, (proj2 Hz x Hx); ring. }
    assert (B : sum m (output n p z) <= sum m (fun y => INR n * largest n (fun x => p x * z x y))).
    { apply sum_le; intros y Hy; unfold output; rewrite <- (sum_const n (largest n (fun x => p x * z x y))).
      apply sum_le; intros x Hx; apply (largest_ge n (fun x => p x * z x y)); assumption. }
    rewrite sum_scale, E in B; assert (0 <= INR n) by apply pos_INR.
    destruct (Rlt_le_dec 0 (sum m (fun y => largest n (fun x => p x * z x y)))) as [|C]; [assumption|].
    assert (0 <= INR n * - sum m (fun y => largest n (fun x => p x * z x y))) by (apply Rmult_le_pos; lra); lra.
  Qed.

  Lemma guessing_of : forall p, is_law n p ->
    sum m (fun y => largest n (fun x => p x * z x y)) <= exp (value l) * largest n p ->
    guessing_leakage n m p z <= value l.
  Proof.
    intros p Hp H; assert (L := largest_positive p Hp); assert (G := guess_positive p Hp).
    unfold guessing_leakage; apply ln_le_of; [apply Rdiv_lt_0_compat; assumption|].
    apply Rmult_le_reg_r with (largest n p); [assumption|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
  Qed.

  (* If p(x) <= w(x) max p, what is guessed after the output is at most max p times a sum of maxima. *)
  Lemma guessing_by_shares : forall p (w : nat -> R), is_law n p -> (forall x, (x < n)%nat -> p x <= w x * largest n p) ->
    sum m (fun y => largest n (fun x => w x * z x y)) <= exp (value l) -> guessing_leakage n m p z <= value l.
  Proof.
    intros p w Hp Hw H; apply guessing_of; [assumption|].
    assert (L := largest_positive p Hp).
    apply Rle_trans with (largest n p * sum m (fun y => largest n (fun x => w x * z x y))).
    - rewrite <- sum_scale; apply sum_le; intros y Hy; rewrite <- largest_scale by lra.
      apply largest_le; [apply largest_nonneg|]; intros x Hx.
      eapply Rle_trans; [|apply (largest_ge n (fun x => largest n p * (w x * z x y)) x Hx)].
      rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [apply Hz; assumption|].
      rewrite Rmult_comm; apply Hw; assumption.
    - rewrite Rmult_comm; apply Rmult_le_compat_r; lra.
  Qed.

  Lemma guessing_at : forall p q g, (forall x, (x < n)%nat -> p x = real q x) -> is_law n p -> Q2R g <= exp (value l) ->
    qle (guessed q) (qmul g (qlargest n (at_ q))) = true ->
    guessing_leakage n m p z <= value l.
  Proof.
    intros p q g E Hp Hg H; apply guessing_of; [assumption|].
    apply qle_real in H; unfold guessed in H; rewrite qsum_real, qmul_real, qlargest_real in H.
    rewrite (largest_ext n p (fun x => Q2R (at_ q x))) by exact E.
    eapply Rle_trans; [|eapply Rle_trans; [exact H|]].
    - right; apply sum_ext; intros y Hy; rewrite qlargest_real; apply largest_ext; intros x Hx.
      rewrite E, qmul_real by assumption; reflexivity.
    - apply Rmult_le_compat_r; [apply largest_nonneg|assumption].
  Qed.

  Lemma guessing_mixture : forall g k cell w p, 0 <= Q2R g -> Q2R g <= exp (value l) -> (k < n)%nat -> is_law n p ->
    forallb (fun p => qle (guessed p) (qmul g (at_ p k))) cell = true -> is_mixture n cell w p ->
    guessing_leakage n m p z <= value l.
  Proof.
    intros g k cell w p G0 HG Hk Hp H [[W0 W1] M]; apply guessing_of; [assumption|]; rewrite forallb_forall in H.
    assert (B : sum m (fun y => largest n (fun x => p x * z x y))
                <= sum (length cell) (fun i => w i * sum m (fun y => largest n (fun x => real2 cell i x * z x y)))).
    { rewrite (sum_ext (length cell) _ (fun i => sum m (fun y => w i * largest n (fun x => real2 cell i x * z x y))))
        by (intros; rewrite sum_scale; reflexivity).
      rewrite sum_swap; apply sum_le; intros y Hy; apply largest_le.
      - apply sum_nonneg; intros i Hi; apply Rmult_le_pos; [auto|apply largest_nonneg].
      - intros x Hx; rewrite M, <- sum_scale_r by assumption; apply sum_le; intros i Hi.
        rewrite Rmult_assoc; apply Rmult_le_compat_l; [auto|]; apply (largest_ge n (fun x => real2 cell i x * z x y)); assumption. }
    assert (C : forall i, (i < length cell)%nat ->
        sum m (fun y => largest n (fun x => real2 cell i x * z x y)) <= Q2R g * real2 cell i k).
    { intros i Hi; specialize (H _ (in_nth_list cell i Hi)); apply qle_real in H; unfold guessed in H; rewrite qsum_real, qmul_real in H.
      eapply Rle_trans; [|exact H]; right; apply sum_ext; intros y Hy; rewrite qlargest_real; apply largest_ext; intros x Hx.
      rewrite qmul_real; reflexivity. }
    eapply Rle_trans; [exact B|]; apply Rle_trans with (sum (length cell) (fun i => w i * (Q2R g * real2 cell i k))).
    - apply sum_le; intros i Hi; apply Rmult_le_compat_l; auto.
    - rewrite (sum_ext _ _ (fun i => Q2R g * (w i * real2 cell i k))) by (intros; ring); rewrite sum_scale, <- M by assumption.
      apply Rmult_le_compat; [assumption|apply Hp; assumption|assumption|apply largest_ge; assumption].
  Qed.

  Lemma guessing_sound : guessing_ok = true -> forall p, allows n (source P) p -> guessing_leakage n m p z <= value l.
  Proof.
    unfold guessing_ok; destruct (factor_of 1) as [g|] eqn:Eg; [|discriminate]; apply factor_one in Eg; intros H p A.
    assert (S : below n share_ok && qle (qsum m (fun y => qlargest n (fun x => qmul (fst (share_of x)) (at2 Q x y)))) g = true ->
      guessing_leakage n m p z <= value l).
    { intro T; apply andb_prop in T as [T1 T2]; apply qle_real in T2; rewrite qsum_real in T2.
      apply (guessing_by_shares p (fun x => Q2R (fst (share_of x)))); [apply A| |].
      - intros x Hx; assert (K := below_true _ _ T1 x Hx); unfold share_ok in K.
        destruct (share_of x) as [w k]; cbn [fst].
        apply andb_prop in K as [K K3]; apply andb_prop in K as [K1 K2]; apply qle_pos in K1; apply Nat.ltb_lt in K2.
        assert (W := worst_sound _ _ _ _ _ _ K3 A).
        rewrite (sum_ext _ _ (fun j => p j * Q2R (entry x 1 j) + p j * Q2R (entry k (Qopp w) j))) in W
          by (intros; rewrite qadd_real; ring).
        rewrite sum_plus, !sum_entry, Q2R_0, Q2R_1, Q2R_opp in W by assumption.
        assert (Q2R w * p k <= Q2R w * largest n p) by (apply Rmult_le_compat_l; [assumption|apply largest_ge; assumption]); lra.
      - eapply Rle_trans; [|eapply Rle_trans; [exact T2|exact Eg]].
        right; apply sum_ext; intros; rewrite qlargest_real; apply largest_ext; intros; rewrite qmul_real; reflexivity. }
    assert (T : forall s t, allows n s p -> qle 0 g && covered n s
      (fun cell k => Nat.ltb k n && forallb (fun p => qle (guessed p) (qmul g (at_ p k))) cell) (root n s) t = true ->
      guessing_leakage n m p z <= value l).
    { intros s t A' T; apply andb_prop in T as [G0 T]; apply qle_pos in G0.
      apply (covered_sound n s (fun cell k => Nat.ltb k n && forallb (fun p => qle (guessed p) (qmul g (at_ p k))) cell)
        (fun p => guessing_leakage n m p z <= value l)) with (t := t) (cell := root n s); try assumption; [|apply root_mixture; assumption].
      intros cell k w q T' Hq M; apply andb_prop in T' as [T1 T2]; apply Nat.ltb_lt in T1; eapply guessing_mixture; eassumption. }
    destruct (source P) as [q|ps| | | | |] eqn:Es; try (destruct (cells h); [eapply T; eassumption|apply S; exact H]).
    - destruct A as [Hp A]; eapply guessing_at; eassumption.
    - destruct A as [Hp [i [Hi A]]]; rewrite forallb_forall in H; eapply (guessing_at p (nth i ps []) g); try eassumption.
      apply (H _ (in_nth_list ps i Hi)).
  Qed.

  Lemma logs_sound : forall needed r logs x y, terms_ok n m (exact h) unit Q needed 1 r logs = true -> (x < n)%nat -> (y < m)%nat ->
    needed x = true -> 0 < z x y -> 0 < real r y /\ ln (z x y / real r y) <= value unit * real2 logs x y.
  Proof.
    intros needed r logs x y H Hx Hy N; apply (log_ok_sound (exact h) unit).
    apply (terms_ok_number n m (exact h) unit Q needed 1 r logs x y H Hx Hy N).
  Qed.

  (* Information is at most the mean divergence from any law of the outputs (Topsoe's identity). *)
  Lemma information_below : forall p r, is_law n p -> is_law m r ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> 0 < p x -> 0 < z x y -> 0 < r y) ->
    information n m p z <= sum n (fun x => p x * sum m (fun y => z x y * ln (z x y / r y))).
  Proof.
    intros p r Hp Hr Hac; unfold information, divergence.
    assert (O : sum m (output n p z) = 1).
    { unfold output; rewrite <- (sum_swap n m (fun x y => p x * z x y)), <- (proj2 Hp); apply sum_ext; intros x Hx.
      rewrite sum_scale, (proj2 Hz x Hx); ring. }
    assert (G : 0 <= sum m (fun y => output n p z y * ln (output n p z y / r y))).
    { apply Rle_trans with (sum m (fun y => output n p z y - r y)); [rewrite sum_minus, O, (proj2 Hr); lra|].
      apply sum_le; intros y Hy.
      assert (T := entropy_tangent (output n p z y) (r y) 0); rewrite exp_0 in T.
      enough ((1 + 0) * output n p z y - 1 * r y <= output n p z y * ln (output n p z y / r y)) by lra.
      apply T; [apply (output_nonneg n m); assumption|apply Hr; assumption|].
      intro Op; destruct (proj1 Hr y Hy) as [|C]; [assumption|exfalso].
      assert (output n p z y = 0); [|lra].
      apply sum_zero; intros x Hx; destruct (proj1 Hz x y Hx Hy) as [Zp|Zp]; [|rewrite <- Zp; ring].
      destruct (proj1 Hp x Hx) as [Pp|<-]; [|ring]; specialize (Hac x y Hx Hy Pp Zp); lra. }
    enough (E : sum n (fun x => p x * sum m (fun y => z x y * ln (z x y / r y)))
      = sum n (fun x => p x * sum m (fun y => z x y * ln (z x y / output n p z y)))
        + sum m (fun y => output n p z y * ln (output n p z y / r y))) by lra.
    unfold output at 2.
    rewrite (sum_ext m (fun y => sum n (fun x => p x * z x y) * ln (output n p z y / r y))
                       (fun y => sum n (fun x => p x * (z x y * ln (output n p z y / r y)))))
      by (intros; rewrite <- sum_scale_r; apply sum_ext; intros; ring).
    rewrite <- (sum_swap n m (fun x y => p x * (z x y * ln (output n p z y / r y)))), <- sum_plus.
    apply sum_ext; intros x Hx; rewrite <- !sum_scale, <- sum_plus; apply sum_ext; intros y Hy.
    destruct (proj1 Hz x y Hx Hy) as [Zp|Zp]; [|rewrite <- Zp; ring].
    destruct (proj1 Hp x Hx) as [Pp|Pp]; [|rewrite <- Pp; ring].
    assert (Rp := Hac x y Hx Hy Pp Zp).
    assert (Op : 0 < output n p z y).
    { apply Rlt_le_trans with (p x * z x y); [apply Rmult_lt_0_compat; assumption|].
      apply (sum_pos n (fun x => p x * z x y)); [|assumption].
      intros; apply Rmult_le_pos; [apply Hp|apply Hz]; assumption. }
    unfold Rdiv; rewrite !ln_mult, !ln_Rinv by (auto using Rinv_0_lt_compat); ring.
  Qed.

  Lemma under_sound : under_ok = true -> 0 <= value unit /\ value unit * Q2R (under h) <= value l.
  Proof.
    unfold under_ok, unit; destruct (in_levels h); intro H.
    - apply andb_prop in H as [H0 H1]; apply is_nonneg_sound in H0; apply qle_real in H1; rewrite Q2R_1 in H1.
      split; [assumption|]; rewrite <- (Rmult_1_r (value l)) at 2; apply Rmult_le_compat_l; assumption.
    - apply level_at_least_sound in H; simpl; rewrite Q2R_1; lra.
  Qed.

  Lemma information_sound : forall s e p, under_ok = true -> information_within s e = true ->
    allows n s p -> information n m p z <= value l.
  Proof.
    intros s [r logs] p HU H A; unfold information_within in H.
    apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2]; apply law_ok_sound in H1; apply under_sound in HU as [U0 HU].
    eapply Rle_trans; [apply (information_below p (real r)); [apply A|assumption|]|].
    - intros x y Hx Hy Pp Zp; apply (logs_sound _ r logs x y H2 Hx Hy (possible_sound n s _ p x A Hx Pp) Zp).
    - eapply Rle_trans; [|eapply Rle_trans; [apply Rmult_le_compat_l; [exact U0|apply (worst_sound _ _ _ _ _ _ H3 A)]|exact HU]].
      rewrite <- sum_scale; apply sum_le; intros x Hx; destruct (proj1 (proj1 A) x Hx) as [Pp|<-]; [|lra].
      replace (value unit * (p x * Q2R (at_ (totals n m Q logs) x))) with (p x * (value unit * Q2R (at_ (totals n m Q logs) x))) by ring.
      apply Rmult_le_compat_l; [lra|].
      rewrite (totals_real n m Q), <- sum_scale by assumption; fold z; apply sum_le; intros y Hy.
      destruct (proj1 Hz x y Hx Hy) as [Zp|Zp]; [|rewrite <- Zp; lra].
      replace (value unit * (z x y * real2 logs x y)) with (z x y * (value unit * real2 logs x y)) by ring.
      apply Rmult_le_compat_l; [lra|]; apply (logs_sound _ r logs x y H2 Hx Hy (possible_sound n s _ p x A Hx Pp) Zp).
  Qed.

  Lemma pointwise_sound : forall s e p, under_ok = true -> pointwise_within s e = true ->
    allows n s p -> loses_pointwise n m p z (value l).
  Proof.
    intros s [r logs] p HU H A; unfold pointwise_within in H.
    apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2]; apply under_sound in HU as [U0 HU]; intros x Hx.
    assert (B : forall y, (y < m)%nat -> real r y <= output n p z y).
    { intros y Hy; assert (T := worst_sound _ _ _ _ _ _ (below_true _ _ H3 y Hy) A); rewrite Q2R_opp in T.
      rewrite (sum_ext _ _ (fun x => -1 * (p x * z x y))) in T
        by (intros; unfold at_; rewrite nth_table by assumption; rewrite Q2R_opp; unfold z, real2; ring).
      rewrite sum_scale in T; unfold real, output; lra. }
    assert (K : forall y, (y < m)%nat -> 0 < z x y -> 0 < real r y /\ ln (z x y / real r y) <= value unit * real2 logs x y)
      by (intros y Hy; apply (logs_sound (fun _ => true) r logs x y H1 Hx Hy eq_refl)).
    split.
    - intros y Hy Zp; destruct (K y Hy Zp); specialize (B y Hy); lra.
    - eapply Rle_trans; [|exact HU].
      assert (T := below_true _ _ H2 x Hx); cbv beta in T; apply qle_real in T; rewrite (totals_real n m Q) in T by assumption; fold z in T.
      eapply Rle_trans; [|apply Rmult_le_compat_l; [exact U0|exact T]]; rewrite <- sum_scale; apply sum_le; intros y Hy.
      destruct (proj1 Hz x y Hx Hy) as [Zp|Zp]; [|rewrite <- Zp; lra].
      replace (value unit * (z x y * real2 logs x y)) with (z x y * (value unit * real2 logs x y)) by ring.
      destruct (K y Hy Zp) as [Rp L]; specialize (B y Hy); apply Rmult_le_compat_l; [lra|].
      eapply Rle_trans; [|exact L].
      assert (I : / output n p z y <= / real r y) by (apply Rinv_le_contravar; assumption).
      assert (F : z x y / output n p z y <= z x y / real r y) by (apply Rmult_le_compat_l; lra).
      destruct F as [F|F]; [left; apply ln_increasing; [apply Rdiv_lt_0_compat; lra|assumption]|rewrite F; lra].
  Qed.

  (* What loses little at some distributions loses as little at their mixtures: a divergence is convex. *)
  Lemma pointwise_mixture : forall k w (ps : nat -> nat -> R) p eps, is_law k w ->
    (forall x, (x < n)%nat -> p x = sum k (fun i => w i * ps i x)) ->
    (forall i, (i < k)%nat -> loses_pointwise n m (ps i) z eps) -> loses_pointwise n m p z eps.
  Proof.
    intros k w ps p eps [W0 W1] E H x Hx.
    assert (O : forall y, output n p z y = sum k (fun i => w i * output n (ps i) z y)).
    { intro y; unfold output; rewrite (sum_ext _ _ (fun x => sum k (fun i => w i * (ps i x * z x y)))).
      - rewrite sum_swap; apply sum_ext; intros; apply sum_scale.
      - intros x' Hx'; rewrite E by assumption; rewrite <- sum_scale_r; apply sum_ext; intros; ring. }
    assert (Op : forall y, (y < m)%nat -> 0 < z x y -> 0 < output n p z y).
    { intros y Hy Zp; rewrite O.
      assert (N : forall i, (i < k)%nat -> 0 <= w i * output n (ps i) z y).
      { intros i Hi; apply Rmult_le_pos; [auto|left; apply (H i Hi x Hx); assumption]. }
      destruct (sum_nonneg k _ N) as [|C]; [assumption|exfalso].
      assert (S : sum k w = 0); [|lra]; apply sum_zero; intros i Hi.
      assert (V := sum_vanishes k _ N (eq_sym C) i Hi); cbv beta in V; apply Rmult_integral in V as [V|V]; [assumption|].
      assert (P' : 0 < output n (ps i) z y) by (apply (H i Hi x Hx); assumption); lra. }
    split; [exact Op|].
    apply Rle_trans with (sum k (fun i => w i * divergence n m (ps i) z x)).
    - unfold divergence; rewrite (sum_ext k _ (fun i => sum m (fun y => w i * (z x y * ln (z x y / output n (ps i) z y)))))
        by (intros; rewrite sum_scale; reflexivity).
      rewrite sum_swap; apply sum_le; intros y Hy; destruct (proj1 Hz x y Hx Hy) as [Zp|Zp].
      + assert (Pp := Op y Hy Zp); set (c := ln (z x y / output n p z y)).
        assert (Ec : exp c * output n p z y = z x y)
          by (unfold c; rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption); field; lra).
        apply Rle_trans with (sum k (fun i => w i * ((1 + c) * z x y - exp c * output n (ps i) z y))).
        * rewrite (sum_ext _ _ (fun i => (1 + c) * z x y * w i - exp c * (w i * output n (ps i) z y))) by (intros; ring).
          rewrite sum_minus, !sum_scale, <- O, W1, Ec; lra.
        * apply sum_le; intros i Hi; apply Rmult_le_compat_l; [auto|]; apply entropy_tangent; [lra| |].
          -- left; apply (H i Hi x Hx); assumption.
          -- intros _; apply (H i Hi x Hx); assumption.
      + rewrite <- Zp, Rmult_0_l; right; symmetry; apply sum_zero; intros; ring.
    - apply Rle_trans with (sum k (fun i => w i * eps)); [|rewrite sum_scale_r, W1; lra].
      apply sum_le; intros i Hi; apply Rmult_le_compat_l; [auto|apply (H i Hi x Hx)].
  Qed.

  Lemma pointwise_ext : forall p q eps, (forall x, (x < n)%nat -> p x = q x) -> loses_pointwise n m q z eps -> loses_pointwise n m p z eps.
  Proof.
    intros p q eps E H x Hx.
    assert (O : forall y, output n p z y = output n q z y) by (intro y; apply sum_ext; intros; rewrite E by assumption; reflexivity).
    destruct (H x Hx) as [H1 H2]; split; [intros; rewrite O; auto|].
    eapply Rle_trans; [|exact H2]; right; apply sum_ext; intros; rewrite O; reflexivity.
  Qed.

  Lemma cells_sound : forall t, under_ok = true -> corners_ok = true ->
    covered n (source P) (fun cell _ => forallb is_corner cell) (root n (source P)) t = true ->
    forall p, allows n (source P) p -> loses_pointwise n m p z (value l).
  Proof.
    intros t HU HC H p A.
    apply (covered_sound n (source P) (fun cell _ => forallb is_corner cell) (fun p => loses_pointwise n m p z (value l)))
      with (t := t) (cell := root n (source P)); try assumption; [|apply root_mixture; assumption].
    intros cell _ w q T _ [W M]; rewrite forallb_forall in T.
    apply (pointwise_mixture (length cell) w (fun i => real (nth i cell [])) q (value l) W M).
    intros i Hi; specialize (T _ (in_nth_list cell i Hi)); apply existsb_exists in T as [c [Hc T]].
    apply (pointwise_ext _ (real c)); [intros x Hx; apply qeq_real, (below_true _ _ T x Hx)|].
    apply (In_nth _ _ []) in Hc as [j [Hj <-]].
    assert (K := below_true _ _ HC j Hj); cbv beta in K; apply andb_prop in K as [K1 K2].
    apply (pointwise_sound (Prior (nth j (corners h) [])) _ _ HU K2); split; [apply law_ok_sound; assumption|reflexivity].
  Qed.

  Lemma by_member_sound : forall test (R : (nat -> R) -> Prop),
    (forall s e p, test s e = true -> allows n s p -> R p) -> by_member test = true ->
    forall p, allows n (source P) p -> R p.
  Proof.
    intros test R HR H p A; unfold by_member in H; destruct (source P) as [q|ps| | | | |]; try (eapply HR; eassumption).
    destruct A as [Hp [i [Hi A]]]; apply (HR (Prior (nth i ps [])) _ p (below_true _ _ H i Hi)).
    split; [assumption|]; intros x Hx; rewrite A by assumption; reflexivity.
  Qed.

  Lemma loss_ok_sound : loss_ok = true -> has_loss P z l.
  Proof.
    intro H; assert (G : l <> Infinite -> loss_at_most P z (value l)).
    { intro F; unfold loss_at_most; fold n m.
      assert (K : loss_ok = match notion P with
        | differential_privacy => events_ok 0
        | approximate_differential_privacy delta => events_ok delta
        | pointwise_approximate_differential_privacy delta => outputs_ok delta
        | identifiability => identifiability_ok
        | maximal_information => maximal_information_ok
        | local_information_privacy delta => local_ok delta
        | maximal_leakage | min_entropy_capacity => leakage_ok
        | min_entropy_leakage => guessing_ok
        | mutual_information => under_ok && by_member information_within
        | capacity => under_ok && information_within Everything (nth 0 (compared h) ([], []))
        | pointwise_leakage => under_ok &&
          pointwise_ok
        | renyi_differential_privacy a => renyi_ok a
        | sibson_mutual_information a => by_member (fun s => sibson_ok n m (exact h) unit Q good_factors s (fun x => dual (1 + x)) a)
        end) by (unfold loss_ok; destruct l; [reflexivity|reflexivity|contradiction F; reflexivity]).
      rewrite K in H; clear K.
      destruct (notion P).
      - assert (K := events_ok_sound _ H); rewrite Q2R_0 in K; exact K.
      - apply events_ok_sound; exact H.
      - apply outputs_ok_sound; exact H.
      - apply identifiability_sound; exact H.
      - apply maximal_information_sound; exact H.
      - apply local_sound; exact H.
      - apply leakage_bound in H; unfold leakage.
        apply ln_le_of; [apply leakage_positive|assumption].
      - apply guessing_sound; exact H.
      - intros p Hp; apply leakage_bound in H.
        apply (guessing_by_shares p (fun _ => 1)); [assumption| |].
        + intros x Hx; rewrite Rmult_1_l; apply largest_ge; assumption.
        + eapply Rle_trans; [|exact H]; right; apply sum_ext; intros; apply largest_ext; intros; ring.
      - apply andb_prop in H as [H1 H2]; apply (by_member_sound information_within); [|assumption].
        intros s e p; apply information_sound; assumption.
      - apply andb_prop in H as [H1 H2]; intros p Hp; apply (information_sound Everything _ p H1 H2); split; auto.
      - apply andb_prop in H as [H1 H2]; unfold pointwise_ok in H2; destruct (cells h) as [t|].
        + apply andb_prop in H2 as [H2 H3]; apply (cells_sound t H1 H2 H3).
        + apply (by_member_sound pointwise_within); [|assumption]; intros s e p; apply pointwise_sound; assumption.
      - unfold renyi_ok in H; apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2]; intros x x' d Hx Hx' Ed.
        assert (T := below_true _ _ (below_true _ _ H3 x Hx) x' Hx'); cbv beta in T; rewrite Ed in T.
        apply (rows_ok_sound n m (exact h) unit Q l good_factors factor_of_sound Hz order (under h) d x x'
                 (nth x' (snd (nth x (compared h) ([], []))) []) H1); try assumption.
        intro E1; rewrite E1 in H2; apply under_sound; exact H2.
      - apply (by_member_sound (fun s => sibson_ok n m (exact h) unit Q good_factors s (fun x => dual (1 + x)) order)); [|assumption].
        intros s e p; apply (sibson_ok_sound n m (exact h) unit Q l good_factors factor_of_sound Hz). }
    destruct l; [apply G; discriminate|apply G; discriminate|exact I].
  Qed.
End Check.

Definition mechanism_accepted (P : problem) (l : level) (D : Q) (h : hints) (M : list (list Q)) : bool :=
  Nat.ltb 0 (inputs P) && mechanism_ok P M && cost_ok P h M D && loss_ok P l h M.

Theorem attained_sound : forall P l D h M, mechanism_accepted P l D h M = true -> attained P l D.
Proof.
  intros P l D h M H; unfold mechanism_accepted in H; repeat (apply andb_prop in H as [H ?]).
  apply Nat.ltb_lt in H; assert (HM := mechanism_ok_sound P M ltac:(assumption)).
  exists (real2 M); split; [exact HM|split].
  - apply (loss_ok_sound P l h M HM H); assumption.
  - intros p A; apply (cost_ok_sound P h); assumption.
Qed.

Theorem some_mechanism_sound : forall P l h M,
  Nat.ltb 0 (inputs P) && mechanism_ok P M && loss_ok P l h M = true -> some_mechanism P l.
Proof.
  intros P l h M H; repeat (apply andb_prop in H as [H ?]).
  apply Nat.ltb_lt in H; assert (HM := mechanism_ok_sound P M ltac:(assumption)).
  exists (real2 M); split; [exact HM|apply (loss_ok_sound P l h M HM H); assumption].
Qed.
