(* Distributions that a source allows, and the largest mean of a cost that it allows. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms.
Import ListNotations.
Open Scope R_scope.

Definition qeq (a b : Q) : bool := qle a b && qle b a.

Lemma qeq_real : forall a b, qeq a b = true -> Q2R a = Q2R b.
Proof. intros a b H; apply andb_prop in H as [H1 H2]; apply Rle_antisym; apply qle_real; assumption. Qed.

Definition law_ok (n : nat) (p : list Q) : bool := below n (fun x => qle 0 (at_ p x)) && qeq (qsum n (at_ p)) 1.

Lemma law_ok_sound : forall n p, law_ok n p = true -> is_law n (real p).
Proof.
  intros n p H; apply andb_prop in H as [H1 H2]; split.
  - intros x Hx; apply qle_pos, (below_true _ _ H1 x Hx).
  - apply qeq_real in H2; rewrite qsum_real, Q2R_1 in H2; exact H2.
Qed.

(* How a proof names a distribution: by its place in a list, as a mixture of a list, or written out. *)
Inductive named := Listed (i : nat) | Mixed (w : list Q) | Explicit (p : list Q).

Definition mixture (n : nat) (ps : list (list Q)) (w : list Q) : list Q :=
  table n (fun x => qsum (length ps) (fun i => qmul (at_ w i) (at2 ps i x))).

Definition qabs (a : Q) : Q := Qmake (Z.abs (Qnum a)) (Qden a).

Lemma qabs_real : forall a, Q2R (qabs a) = Rabs (Q2R a).
Proof.
  intros [a d]; unfold qabs, Q2R; simpl; rewrite abs_IZR, Rabs_mult; f_equal.
  symmetry; apply Rabs_right, Rle_ge, Rlt_le, Rinv_0_lt_compat, IZR_lt; reflexivity.
Qed.

Definition law_named (n : nat) (s : knowledge) (c : named) : option (list Q) :=
  let if_law p := if law_ok n p then Some p else None in
  match s, c with
  | Prior p, Listed O => if_law p
  | Finite ps, Listed i => if Nat.ltb i (length ps) then if_law (nth i ps []) else None
  | Hull ps, Mixed w => if law_ok (length ps) w then if_law (mixture n ps w) else None
  | Box lower upper, Explicit p =>
      if below n (fun x => qle (at_ lower x) (at_ p x) && qle (at_ p x) (at_ upper x)) then if_law p else None
  | Ball center radius, Explicit p =>
      if qle (qsum n (fun x => qabs (qadd (at_ p x) (Qopp (at_ center x))))) radius then if_law p else None
  | Polytope A b, Explicit p =>
      if below (length A) (fun k => qle (qsum n (fun x => qmul (at2 A k x) (at_ p x))) (at_ b k)) then if_law p else None
  | Everything, Explicit p => if_law p
  | _, _ => None
  end.

Lemma law_named_sound : forall n s c p, law_named n s c = Some p -> allows n s (real p).
Proof.
  intros n s c p; unfold law_named.
  assert (L : forall q, (if law_ok n q then Some q else None) = Some p -> q = p /\ is_law n (real p)).
  { intros q H; destruct (law_ok n q) eqn:E; [injection H as <-|discriminate]; split; [reflexivity|].
    apply law_ok_sound; assumption. }
  destruct s as [q|ps|ps|lower upper|center radius|A b|]; destruct c as [i|w|r]; try discriminate.
  - destruct i; try discriminate; intro H; apply L in H as [<- H]; split; auto.
  - destruct (Nat.ltb_spec i (length ps)) as [Hi|]; try discriminate; intro H; apply L in H as [<- H].
    split; auto; exists i; split; auto; intros; reflexivity.
  - destruct (law_ok (length ps) w) eqn:E; try discriminate; intro H; apply L in H as [<- H].
    split; auto; exists (real w); split; [apply law_ok_sound; assumption|].
    intros x Hx; unfold real at 1, at_, mixture; rewrite nth_table by assumption; rewrite qsum_real.
    apply sum_ext; intros; rewrite qmul_real; reflexivity.
  - destruct (below n _) eqn:E; try discriminate; intro H; apply L in H as [<- H].
    split; auto; intros x Hx; assert (T := below_true _ _ E x Hx); cbv beta in T.
    apply andb_prop in T as [T1 T2]; split; apply qle_real; assumption.
  - destruct (qle _ radius) eqn:E; try discriminate; intro H; apply L in H as [<- H].
    split; auto; apply qle_real in E; rewrite qsum_real in E; eapply Rle_trans; [|exact E].
    right; apply sum_ext; intros; rewrite qabs_real, qadd_real, Q2R_opp; reflexivity.
  - destruct (below _ _) eqn:E; try discriminate; intro H; apply L in H as [<- H].
    split; auto; intros k Hk; assert (T := below_true _ _ E k Hk); cbv beta in T.
    apply qle_real in T; rewrite qsum_real in T; eapply Rle_trans; [|exact T].
    right; apply sum_ext; intros; rewrite qmul_real; reflexivity.
  - intro H; apply L in H as [<- H]; split; auto.
Qed.

(* The mean of e is at most b under every distribution that the source allows. For a box and a ball the threshold of the
   dual is sought among the costs; for a polytope the multipliers are given. *)
Definition mean (n : nat) (e : nat -> Q) (p : list Q) : Q := qsum n (fun x => qmul (at_ p x) (e x)).
Definition qmax (a b : Q) : Q := if qle a b then b else a.

Lemma qmax_real : forall a b, Q2R (qmax a b) = Rmax (Q2R a) (Q2R b).
Proof.
  intros a b; unfold qmax; destruct (qle a b) eqn:E.
  - apply qle_real in E; rewrite Rmax_right; auto.
  - rewrite Rmax_left; auto; left; apply qlt_real; unfold qlt, qle in *; rewrite E; reflexivity.
Qed.

Definition qsub (a b : Q) : Q := qadd a (Qopp b).
Lemma qsub_real : forall a b, Q2R (qsub a b) = Q2R a - Q2R b.
Proof. intros; unfold qsub; rewrite qadd_real, Q2R_opp; lra. Qed.

Definition box_bound (n : nat) (lower upper : list Q) (e : nat -> Q) (t : Q) : Q :=
  qadd t (qsum n (fun x => let c := qsub (e x) t in qmax (qmul c (at_ lower x)) (qmul c (at_ upper x)))).

Definition half (a : Q) : Q := qmul a (1 # 2).

Definition ball_bound (n : nat) (center : list Q) (radius : Q) (e : nat -> Q) (t u : Q) : Q :=
  qadd (qadd t (qmul u radius)) (qsum n (fun x => qmul (at_ center x) (qmax (qsub (e x) t) (Qopp u)))).

Definition polytope_bound (n : nat) (A : list (list Q)) (b : list Q) (u : list Q) : Q :=
  qsum (length A) (fun k => qmul (at_ u k) (at_ b k)).

Definition worst_at_most (n : nat) (s : knowledge) (u : list Q) (e : nat -> Q) (b : Q) : bool :=
  match s with
  | Prior p => qle (mean n e p) b
  | Finite ps | Hull ps => forallb (fun p => qle (mean n e p) b) ps
  | Everything => below n (fun x => qle (e x) b)
  | Box lower upper => existsb (fun k => qle (box_bound n lower upper e (e k)) b) (seq 0 n)
  | Ball center radius =>
      let top := match n with O => 0%Q | S k => fold_right (fun x t => qmax (e x) t) (e k) (seq 0 n) end in
      below n (fun x => qle 0 (at_ center x)) &&
      existsb (fun k => let t := half (qadd top (e k)) in let u := half (qsub top (e k)) in
        qle 0 u && below n (fun x => qle (qsub (e x) t) u) && qle (ball_bound n center radius e t u) b) (seq 0 n)
  | Polytope A bounds =>
      let gain x := qsum (length A) (fun k => qmul (at_ u k) (at2 A k x)) in
      let rest := qsub b (polytope_bound n A bounds u) in
      below (length A) (fun k => qle 0 (at_ u k)) && below n (fun x => qle (qsub (e x) (gain x)) rest)
  end.

Lemma mean_real : forall n e p, Q2R (mean n e p) = sum n (fun x => real p x * Q2R (e x)).
Proof. intros; unfold mean; rewrite qsum_real; apply sum_ext; intros; rewrite qmul_real; reflexivity. Qed.

Lemma in_nth_list : forall (ps : list (list Q)) i, (i < length ps)%nat -> In (nth i ps []) ps.
Proof. intros; apply nth_In; assumption. Qed.

Lemma box_bound_sound : forall n lower upper e t p, is_law n p ->
  (forall x, (x < n)%nat -> real lower x <= p x <= real upper x) ->
  sum n (fun x => p x * Q2R (e x)) <= Q2R (box_bound n lower upper e t).
Proof.
  intros n lower upper e t p [_ Hs] H; unfold box_bound; rewrite qadd_real, qsum_real.
  apply Rle_trans with (Q2R t * sum n p + sum n (fun x => p x * (Q2R (e x) - Q2R t))).
  - right; rewrite <- sum_scale, <- sum_plus; apply sum_ext; intros; ring.
  - rewrite Hs, Rmult_1_r; apply Rplus_le_compat_l, sum_le; intros x Hx.
    rewrite qmax_real, !qmul_real, !qsub_real; destruct (H x Hx).
    change (Q2R (at_ lower x)) with (real lower x); change (Q2R (at_ upper x)) with (real upper x).
    set (c := Q2R (e x) - Q2R t); destruct (Rle_lt_dec 0 c).
    + eapply Rle_trans; [|apply Rmax_r]; rewrite (Rmult_comm (p x)); apply Rmult_le_compat_l; assumption.
    + eapply Rle_trans; [|apply Rmax_l].
      assert (0 <= - c * (p x - real lower x)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma ball_bound_sound : forall n center radius e t u p, is_law n p -> 0 <= Q2R u ->
  (forall x, (x < n)%nat -> 0 <= real center x) -> (forall x, (x < n)%nat -> Q2R (e x) - Q2R t <= Q2R u) ->
  sum n (fun x => Rabs (p x - real center x)) <= Q2R radius ->
  sum n (fun x => p x * Q2R (e x)) <= Q2R (ball_bound n center radius e t u).
Proof.
  intros n center radius e t u p [Hp Hs] Hu Hc He Hr; unfold ball_bound; rewrite !qadd_real, qmul_real, qsum_real.
  apply Rle_trans with (Q2R t * sum n p + Q2R u * sum n (fun x => Rabs (p x - real center x))
                        + sum n (fun x => p x * (Q2R (e x) - Q2R t) - Q2R u * Rabs (p x - real center x))).
  - right; rewrite <- !sum_scale, <- !sum_plus; apply sum_ext; intros; ring.
  - apply Rplus_le_compat; [rewrite Hs, Rmult_1_r; apply Rplus_le_compat_l, Rmult_le_compat_l; assumption|].
    apply sum_le; intros x Hx; rewrite qmul_real, qmax_real, qsub_real, Q2R_opp.
    change (Q2R (at_ center x)) with (real center x).
    specialize (Hp x Hx); specialize (Hc x Hx); specialize (He x Hx).
    set (c := Q2R (e x) - Q2R t) in *; set (a := real center x) in *.
    assert (M1 := Rmax_l c (- Q2R u)); assert (M2 := Rmax_r c (- Q2R u)).
    set (M := Rmax c (- Q2R u)) in *.
    assert (M3 : M <= Q2R u) by (apply Rmax_lub; lra).
    unfold Rabs; destruct (Rcase_abs (p x - a)).
    + assert (0 <= p x * (M - c)) by (apply Rmult_le_pos; lra).
      assert (0 <= (a - p x) * (M + Q2R u)) by (apply Rmult_le_pos; lra); lra.
    + assert (0 <= a * (M - c)) by (apply Rmult_le_pos; lra).
      assert (0 <= (p x - a) * (Q2R u - c)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma worst_sound : forall n s u e b p, worst_at_most n s u e b = true -> allows n s p ->
  sum n (fun x => p x * Q2R (e x)) <= Q2R b.
Proof.
  intros n s u e b p H [[Hp Hs] A]; unfold worst_at_most in H.
  destruct s as [q|ps|ps|lower upper|center radius|M bounds|].
  - apply qle_real in H; rewrite mean_real in H; eapply Rle_trans; [|exact H].
    right; apply sum_ext; intros; rewrite A by assumption; reflexivity.
  - destruct A as [i [Hi A]]; rewrite forallb_forall in H; specialize (H _ (in_nth_list ps i Hi)).
    apply qle_real in H; rewrite mean_real in H; eapply Rle_trans; [|exact H].
    right; apply sum_ext; intros; rewrite A by assumption; reflexivity.
  - destruct A as [w [[Hw Hw1] A]]; rewrite forallb_forall in H.
    rewrite (sum_ext _ _ (fun x => sum (length ps) (fun i => w i * (real2 ps i x * Q2R (e x))))).
    2:{ intros x Hx; rewrite A by assumption; rewrite <- sum_scale_r; apply sum_ext; intros; ring. }
    rewrite sum_swap; apply Rle_trans with (sum (length ps) (fun i => w i * Q2R b)).
    + apply sum_le; intros i Hi; rewrite sum_scale; apply Rmult_le_compat_l; [auto|].
      specialize (H _ (in_nth_list ps i Hi)); apply qle_real in H; rewrite mean_real in H; exact H.
    + rewrite sum_scale_r, Hw1; lra.
  - apply existsb_exists in H as [k [_ H]]; apply qle_real in H.
    eapply Rle_trans; [apply (box_bound_sound n lower upper e (e k) p); [split|]; assumption|exact H].
  - apply andb_prop in H as [Hc H]; apply existsb_exists in H as [k [_ H]].
    apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2]; apply qle_real in H3.
    eapply Rle_trans; [|exact H3]; apply ball_bound_sound; try assumption; [split; assumption|apply qle_pos; assumption| |].
    + intros x Hx; apply qle_pos, (below_true _ _ Hc x Hx).
    + intros x Hx; assert (T := below_true _ _ H2 x Hx); cbv beta in T; apply qle_real in T; rewrite qsub_real in T; exact T.
  - apply andb_prop in H as [H1 H2].
    set (gain := fun x => sum (length M) (fun k => real u k * real2 M k x)).
    set (B := sum (length M) (fun k => real u k * real bounds k)).
    assert (E : forall x, (x < n)%nat -> Q2R (e x) - gain x <= Q2R b - B).
    { intros x Hx; assert (T := below_true _ _ H2 x Hx); cbv beta in T; apply qle_real in T.
      rewrite !qsub_real in T; unfold polytope_bound in T; rewrite !qsum_real in T.
      rewrite (sum_ext _ _ (fun k => real u k * real2 M k x)), (sum_ext _ (fun i => Q2R (qmul (at_ u i) (at_ bounds i)))
        (fun k => real u k * real bounds k)) in T by (intros; rewrite qmul_real; reflexivity); exact T. }
    assert (G : sum n (fun x => p x * gain x) <= B).
    { unfold gain, B; rewrite (sum_ext _ _ (fun x => sum (length M) (fun k => real u k * (real2 M k x * p x))))
        by (intros; rewrite <- sum_scale; apply sum_ext; intros; ring).
      rewrite sum_swap; apply sum_le; intros k Hk; rewrite sum_scale; apply Rmult_le_compat_l; [|apply A; assumption].
      apply qle_pos, (below_true _ _ H1 k Hk). }
    assert (F : sum n (fun x => p x * (Q2R (e x) - gain x)) <= sum n (fun x => p x * (Q2R b - B)))
      by (apply sum_le; intros; apply Rmult_le_compat_l; auto).
    rewrite sum_scale_r, Hs in F.
    rewrite (sum_ext _ _ (fun x => p x * (Q2R (e x) - gain x) + p x * gain x)) by (intros; ring).
    rewrite sum_plus; lra.
  - apply Rle_trans with (sum n (fun x => p x * Q2R b)); [|rewrite sum_scale_r, Hs; lra].
    apply sum_le; intros x Hx; apply Rmult_le_compat_l; [auto|apply qle_real, (below_true _ _ H x Hx)].
Qed.
