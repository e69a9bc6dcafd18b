(* What is excluded: a checker of certificates, and the theorem that what it accepts is true. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Exponential Mechanisms Levels Bounds Convex Equal Rule Uses PowerUses Sources.
Import ListNotations.
Open Scope R_scope.

(* Multiples of distortions under laws, of ratio bounds by output, of sums of maxima (with the shares of their entries),
   of sums of entropies, powers and norms (with the places of their tangents), and of rows. *)
Record step := {
  laws : list (Q * named);
  ratios : list (list nat * list (nat * Q));
  maxima : list (list nat * Q * list (list (nat * Q)));
  entropy_sums : list (list nat * Q * places);
  power_sums : list (list nat * Q * tangents);
  prices : list Q
}.

Record certificate := {
  enclosed : precision;
  growths : list (Q * Q);   (* a rate, and a number above e^(level rate) *)
  above : Q;                (* a number above the level, if entropies are used *)
  points : list named;      (* where a notion that depends on the source is read *)
  steps : list step
}.

Fixpoint all_of {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: rest => match f a, all_of f rest with Some b, Some bs => Some (b :: bs) | _, _ => None end
  end.

Lemma all_of_forall : forall A B (f : A -> option B) (R : B -> Prop) l bs,
  (forall a b, f a = Some b -> R b) -> all_of f l = Some bs -> Forall R bs.
Proof.
  intros A B f R; induction l as [|a l IH]; intros bs H E; simpl in E; [injection E as <-; constructor|].
  destruct (f a) eqn:Ea; [|discriminate]; destruct (all_of f l); [|discriminate]; injection E as <-.
  constructor; eauto.
Qed.

Definition point_named (P : problem) (c : named) : option (list Q) :=
  match notion P with
  | capacity | min_entropy_capacity => law_named (inputs P) Everything c
  | _ => law_named (inputs P) (source P) c
  end.

Lemma points_named_sound : forall P cs ps, all_of (point_named P) cs = Some ps -> points_allowed P ps.
Proof.
  intros P cs ps H i Hi.
  assert (F : Forall (fun p => match notion P with
    | capacity | min_entropy_capacity => is_law (inputs P) (real p)
    | _ => allows (inputs P) (source P) (real p) end) ps).
  { eapply all_of_forall; [|exact H]; intros a b E; unfold point_named in E.
    destruct (notion P); apply law_named_sound in E; try exact E; apply E. }
  rewrite Forall_forall in F; apply F, nth_In; assumption.
Qed.

Section Check.
  Variables (P : problem) (l : level) (D : option Q) (open_loss : bool) (c : certificate).
  Let n := inputs P.
  Let m := outputs P.

  (* Each exponential is enclosed once. *)
  Definition good_growths : list (Q * Q) :=
    filter (fun e => growth_at_most (enclosed c) l (fst e) (snd e)) (growths c).

  Definition law_item (e : Q * named) : option use :=
    match D, law_named n (source P) (snd e) with
    | Some D, Some p => if qle 0 (fst e) then Some (law_use P open_loss D (fst e) p) else None
    | _, _ => None
    end.

  Definition ratio_item (good : list (Q * Q)) (ps : list (list Q)) (V : list (list bool)) (e : list nat * list (nat * Q)) : option use :=
    match ratio_of P ps (fst e) with
    | None =>
        match equality_of P ps (fst e) with
        | Some (r, excludes) =>
            if negb (forallb (fun e => qle 0 (snd e)) (snd e)) then None
            else if is_zero l then Some (ratio_use P open_loss r 1 1 (snd e))
            else if excludes && right_vanishes P V r (snd e) then Some (zero_ratio_use P r (snd e)) else None
        | None => None
        end
    | Some r =>
        if negb (forallb (fun e => qle 0 (snd e)) (snd e)) then None
        else if is_finite l then
          match find_rate good (rate r), (if grows r then find_rate good 1 else Some 1%Q) with
          | Some g, Some one => if qle 0 (rate r) && qle 0 (slack r) then Some (ratio_use P open_loss r g one (snd e)) else None
          | _, _ => None
          end
        else if right_vanishes P V r (snd e) && (negb (grows r) || qeq (slack r) 0) then Some (zero_ratio_use P r (snd e))
        else None
    end.

  Definition maximum_item (good : list (Q * Q)) (ps : list (list Q)) (e : list nat * Q * list (list (nat * Q))) : option use :=
    let '(name, s, shares) := e in
    match maximum_of P ps name, find_rate good 1 with
    | Some w, Some g => if qlt 0 s && shares_ok P shares then Some (maximum_use open_loss w s g shares) else None
    | _, _ => None
    end.

  Definition entropy_item (ps : list (list Q)) (V : list (list bool)) (e : list nat * Q * places) : option use :=
    let '(name, s, t) := e in
    match entropy_of P ps name with
    | Some (p, w, rate) =>
        if qlt 0 s && places_ok P (enclosed c) V w t && level_at_most (enclosed c) l (above c)
        then Some (entropy_use P open_loss p w rate s (above c) t) else None
    | None => None
    end.

  Definition power_item (good : list (Q * Q)) (ps : list (list Q)) (V : list (list bool)) (e : list nat * Q * tangents) : option use :=
    let '(name, s, t) := e in
    match rows_of P name, norms_of P ps name with
    | Some (x, x', a, d), _ =>
        match charged l open_loss good a (qmul (from_one a) d) with
        | Some (b, st) => if qlt 0 s && rows_tangents_ok P (enclosed c) V x x' a t then Some (rows_power_use x x' a s b st t) else None
        | None => None
        end
    | None, Some (p, a) =>
        match charged l open_loss good a (qmul (from_one a) (Qinv a)) with
        | Some (b, st) => if qlt 0 s && norms_tangents_ok P (enclosed c) V p a t then Some (norms_use p a s b st t) else None
        | None => None
        end
    | None, None => None
    end.

  Definition uses_of (good : list (Q * Q)) (ps : list (list Q)) (V : list (list bool)) (s : step) : option (list use) :=
    match all_of law_item (laws s), all_of (ratio_item good ps V) (ratios s),
          all_of (maximum_item good ps) (maxima s),
          all_of (entropy_item ps V) (entropy_sums s), all_of (power_item good ps V) (power_sums s) with
    | Some a, Some b, Some d, Some e, Some f => Some (rows_use P (prices s) :: a ++ b ++ d ++ e ++ f)
    | _, _, _, _, _ => None
    end.

  Fixpoint run (good : list (Q * Q)) (ps : list (list Q)) (V : list (list bool)) (todo : list step) : bool :=
    match todo with
    | [] => false
    | s :: rest =>
        match uses_of good ps V s with
        | None => false
        | Some us =>
            match judge n m V us with
            | Contradiction => true
            | Vanishing V' => run good ps V' rest
            | Nothing => false
            end
        end
    end.

  Definition accepted : bool :=
    (open_loss || is_finite l) &&
    match all_of (point_named P) (points c) with
    | Some ps => let good := good_growths in run good ps [] (steps c)
    | None => false
    end.

  Variables (z : nat -> nat -> R) (eps : R).
  Hypothesis Hz : is_mechanism n m z.
  Hypothesis Hloss : loss_at_most P z eps.
  Hypothesis Hlevel : if open_loss then below_level l eps else is_finite l = true /\ eps = value l.
  Hypothesis Hcost : forall D', D = Some D' -> forall p, allows n (source P) p ->
    if open_loss then distortion_under P p z <= Q2R D' else distortion_under P p z < Q2R D'.

  Lemma growth_of_sound : forall rate g, find_rate good_growths rate = Some g -> growth_fits l rate g.
  Proof.
    intros rate g H; apply find_rate_sound in H as [r [H E]]; cbn [fst snd] in H; split.
    - destruct l; auto; discriminate.
    - rewrite <- E; eapply growth_at_most_sound; exact H.
  Qed.

  Lemma uses_hold : forall ps V s us, points_allowed P ps ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) ->
    uses_of good_growths ps V s = Some us -> Forall (holds n m z) us.
  Proof.
    intros ps V s us Hps HV; unfold uses_of.
    destruct (all_of law_item _) as [a|] eqn:Ea; [|discriminate].
    destruct (all_of (ratio_item good_growths ps V) _) as [b|] eqn:Eb; [|discriminate].
    destruct (all_of (maximum_item good_growths ps) _) as [d|] eqn:Ed; [|discriminate].
    destruct (all_of (entropy_item ps V) _) as [e|] eqn:Ee; [|discriminate].
    destruct (all_of (power_item good_growths ps V) _) as [f|] eqn:Ef; [|discriminate].
    intro E; injection E as <-; constructor; [apply rows_hold; assumption|].
    rewrite !Forall_app; split; [|split; [|split; [|split]]].
    - eapply all_of_forall; [|exact Ea]; intros [w k] u; unfold law_item; cbn [fst snd].
      destruct D as [D'|]; [|discriminate]; destruct (law_named _ _ _) eqn:El; [|discriminate].
      destruct (qle 0 w) eqn:Ew; [|discriminate]; intro E; injection E as <-.
      apply (law_holds P l open_loss z eps Hlevel); [apply qle_pos; assumption|].
      apply (Hcost D' eq_refl), (law_named_sound _ _ k); assumption.
    - eapply all_of_forall; [|exact Eb]; intros [name ms] u; unfold ratio_item; cbn [fst snd].
      destruct (ratio_of P ps name) as [r|] eqn:Er.
      2:{ destruct (equality_of P ps name) as [[r excludes]|] eqn:Er'; [|discriminate].
          destruct (equality_sound P ps name r excludes z eps Hz Hloss Hps Er') as [HN [R0 [S0 [G0 [HR HE]]]]].
          destruct (forallb _ ms) eqn:Em; simpl negb; [|discriminate]; cbv iota.
          destruct (is_zero l) eqn:El.
          - intro E; injection E as <-; destruct (is_zero_sound l El) as [F V0].
            apply (ratio_use_holds P l open_loss z eps); try assumption; rewrite ?R0, ?S0, ?G0; try reflexivity; [|split|discriminate].
            + apply HR; assert (K := eps_le l open_loss eps Hlevel F); lra.
            + exact F.
            + rewrite Q2R_0, Rmult_0_r, exp_0, Q2R_1; lra.
          - destruct excludes; [|discriminate]; destruct (right_vanishes P V r ms) eqn:Ev; [|discriminate].
            intro E; injection E as <-; apply (exclusion_holds P z r V ms); auto. }
      assert (HR := ratio_sound P ps name r z eps Hz Hloss Hps Er).
      assert (HN := ratio_right_nonneg P ps name r Hps Er).
      destruct (forallb _ ms) eqn:Em; simpl negb; [|discriminate]; cbv iota.
      destruct (bool_dec (is_finite l) true) as [El|El]; [|apply not_true_is_false in El]; rewrite El.
      + destruct (find_rate good_growths (rate r)) as [g|] eqn:Eg; [|discriminate].
        destruct (if grows r then find_rate good_growths 1 else Some 1%Q) as [one|] eqn:E1; [|discriminate].
        destruct (qle 0 (rate r)) eqn:E2; [|discriminate]; destruct (qle 0 (slack r)) eqn:E3; [|discriminate].
        intro E; injection E as <-.
        eapply (ratio_use_holds P l open_loss z eps); try eassumption.
        * apply growth_of_sound; assumption.
        * intro G; rewrite G in E1; apply growth_of_sound in E1.
          assert (K := growth_le l open_loss eps Hlevel 1 one E1).
          rewrite Q2R_1, Rmult_1_r in K; apply K; lra.
      + destruct (right_vanishes P V r ms) eqn:E2; [|discriminate]; cbn [andb].
        destruct (negb (grows r) || qeq (slack r) 0) eqn:E3; [|discriminate]; intro E; injection E as <-.
        eapply (zero_ratio_holds P z eps); try eassumption.
        intro G; rewrite G in E3; simpl in E3; apply qeq_real in E3; rewrite Q2R_0 in E3; assumption.
    - eapply all_of_forall; [|exact Ed]; intros [[name s'] shares] u; unfold maximum_item.
      destruct (maximum_of P ps name) as [w|] eqn:Ew; [|discriminate].
      destruct (find_rate good_growths 1) as [g|] eqn:Eg; [|discriminate].
      destruct (qlt 0 s') eqn:E1; [|discriminate]; destruct (shares_ok P shares) eqn:E2; [|discriminate].
      intro E; injection E as <-; apply growth_of_sound in Eg.
      eapply (maximum_use_holds P l open_loss z eps ps); eassumption.
    - eapply all_of_forall; [|exact Ee]; intros [[name s'] t] u; unfold entropy_item.
      destruct (entropy_of P ps name) as [[[p w] rate]|] eqn:Ew; [|discriminate].
      destruct (qlt 0 s') eqn:E1; [|discriminate]; destruct (places_ok _ _ _ _ _) eqn:E2; [|discriminate].
      destruct (level_at_most _ _ _) eqn:E3; [|discriminate]; intro E; injection E as <-.
      eapply (entropy_use_holds P l open_loss (enclosed c) z eps ps); eassumption.
    - eapply all_of_forall; [|exact Ef]; intros [[name s'] t] u; unfold power_item.
      destruct (rows_of P name) as [[[[x x'] a'] d']|] eqn:Er; [|destruct (norms_of P ps name) as [[p a']|] eqn:En; [|discriminate]].
      + destruct (charged _ _ _ _ _) as [[b' st]|] eqn:Ec; [|discriminate].
        destruct (qlt 0 s') eqn:E1; [|discriminate]; destruct (rows_tangents_ok _ _ _ _ _ _ _) eqn:E2; [|discriminate].
        intro E; injection E as <-.
        eapply (rows_power_use_holds P l open_loss (enclosed c) z eps); try eassumption; apply growth_of_sound.
      + destruct (charged _ _ _ _ _) as [[b' st]|] eqn:Ec; [|discriminate].
        destruct (qlt 0 s') eqn:E1; [|discriminate]; destruct (norms_tangents_ok _ _ _ _ _ _) eqn:E2; [|discriminate].
        intro E; injection E as <-.
        eapply (norms_use_holds P l open_loss (enclosed c) z eps ps); try eassumption; apply growth_of_sound.
  Qed.

  Lemma run_sound : forall ps todo V, points_allowed P ps ->
    (forall x y, (x < n)%nat -> (y < m)%nat -> known V x y = true -> z x y = 0) -> run good_growths ps V todo = true -> False.
  Proof.
    intros ps; induction todo as [|s todo IH]; intros V Hps HV H; simpl in H; [discriminate|].
    destruct (uses_of good_growths ps V s) as [us|] eqn:Eu; [|discriminate].
    assert (J := judge_sound n m V us z (proj1 Hz) HV (uses_hold ps V s us Hps HV Eu)).
    destruct (judge n m V us); [exact J|eapply IH; eassumption|discriminate].
  Qed.

  Lemma accepted_sound : accepted = true -> False.
  Proof.
    unfold accepted; intro H; apply andb_prop in H as [_ H].
    destruct (all_of (point_named P) (points c)) as [ps|] eqn:E; [|discriminate].
    apply (run_sound ps (steps c) []); [eapply points_named_sound; eassumption| |assumption].
    intros x y _ _ K; unfold known in K; destruct x, y; discriminate.
  Qed.
End Check.

Theorem excluded_loss_sound : forall P l D c, accepted P l (Some D) true c = true -> no_smaller_loss P l D.
Proof.
  intros P l D c H [Q [eps [HQ [Hl [HL HD]]]]].
  apply (accepted_sound P l (Some D) true c Q eps HQ HL Hl); [|assumption].
  intros D' E p Hp; injection E as <-; apply HD; assumption.
Qed.

Lemma has_loss_value : forall P Q l, is_finite l = true -> has_loss P Q l -> loss_at_most P Q (value l).
Proof. intros P Q [e|a|] F H; [exact H|exact H|discriminate]. Qed.

Lemma accepted_finite : forall P l D c, accepted P l D false c = true -> is_finite l = true.
Proof. intros P l D c H; apply andb_prop in H as [H _]; exact H. Qed.

Theorem excluded_distortion_sound : forall P l D c, accepted P l (Some D) false c = true -> no_smaller_distortion P l D.
Proof.
  intros P l D c H [Q [HQ [HL HD]]]; assert (F := accepted_finite _ _ _ _ H).
  apply (accepted_sound P l (Some D) false c Q (value l) HQ (has_loss_value _ _ _ F HL)); [split; auto| |assumption].
  intros D' E p Hp; injection E as <-; apply HD; assumption.
Qed.

Theorem excluded_mechanism_sound : forall P l c, accepted P l None false c = true -> no_mechanism P l.
Proof.
  intros P l c H [Q [HQ HL]]; assert (F := accepted_finite _ _ _ _ H).
  apply (accepted_sound P l None false c Q (value l) HQ (has_loss_value _ _ _ F HL)); [split; auto| |assumption].
  intros D' E; discriminate.
Qed.

Theorem excluded_below_sound : forall P l c, accepted P l None true c = true -> no_loss_below P l.
Proof.
  intros P l c H [Q [eps [HQ [Hl HL]]]]; apply (accepted_sound P l None true c Q eps HQ HL Hl); [|assumption].
  intros D' E; discriminate.
Qed.

(* Whatever is lost: every mechanism keeps outputs within one of each other. *)
Definition without_loss (P : problem) : problem := {|
  notion := pointwise_approximate_differential_privacy 1;
  inputs := inputs P; outputs := outputs P; distance := distance P; source := source P; cost := cost P
|}.

Theorem excluded_cost_sound : forall P D c, accepted (without_loss P) (Number 0) (Some D) false c = true ->
  no_smaller_distortion P Infinite D.
Proof.
  intros P D c H [Q [HQ [_ HD]]]; apply (excluded_distortion_sound (without_loss P) (Number 0) D c H).
  exists Q; split; [exact HQ|split; [|exact HD]]; intros x x' d y Hx Hx' Hy _; cbn in Hx, Hx', Hy.
  assert (A : 0 <= exp (Q2R 0 * Q2R d) * Q x' y) by (apply Rmult_le_pos; [left; apply exp_pos|apply HQ; assumption]).
  assert (B : Q x y <= 1) by (rewrite <- (proj2 HQ x Hx); apply (sum_pos (outputs P) (Q x)); [intros; apply HQ; assumption|assumption]).
  rewrite Q2R_1; lra.
Qed.
