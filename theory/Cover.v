(* What is convex over a region of distributions is largest at corners: the region is cut into cells whose corners decide. *)

From Coq Require Import Reals Lra Lia Arith List Bool QArith Qreals.
From Epstar Require Import Sums Numbers Mechanisms Bounds Convex Sources.
Import ListNotations.
Open Scope R_scope.

(* A cell is a list of points, and stands for their mixtures. *)
Inductive cover :=
  | Corners (k : nat)                                    (* its corners are good, for a reason of which k reminds *)
  | Cut (i j : nat) (share : Q) (first second : cover)   (* cut in two at a point between the corners i and j *)
  | Face (e dual : list Q) (b : Q) (rest : cover).       (* the source allows no mean of e above b, the cell none below *)

Definition between (n : nat) (share : Q) (v w : list Q) : list Q :=
  table n (fun x => Qred (qadd (qmul share (at_ v x)) (qmul (qsub 1 share) (at_ w x)))).

Fixpoint replaced {A} (i : nat) (c : A) (l : list A) : list A :=
  match l, i with
  | [], _ => []
  | _ :: rest, O => c :: rest
  | a :: rest, S k => a :: replaced k c rest
  end.

Lemma replaced_length : forall A (c : A) l i, length (replaced i c l) = length l.
Proof. induction l as [|a l IH]; intros [|i]; simpl; auto. Qed.

Lemma nth_replaced : forall A (c d : A) l i k, (i < length l)%nat -> nth k (replaced i c l) d = if Nat.eqb k i then c else nth k l d.
Proof.
  induction l as [|a l IH]; intros i k H; simpl in *; [lia|].
  destruct i as [|i], k as [|k]; simpl; try reflexivity; apply IH; lia.
Qed.

Section Cover.
  Variables (n : nat) (s : knowledge) (test : list (list Q) -> nat -> bool).

  Definition root : list (list Q) := match s with Hull ps => ps | _ => table n (certain n) end.

  (* A corner that is not needed is replaced by one that is. *)
  Definition kept (e : list Q) (b : Q) (v0 v : list Q) : list Q := if qle (mean n (at_ e) v) b then v else v0.

  Fixpoint covered (cell : list (list Q)) (t : cover) : bool :=
    match t with
    | Corners k => test cell k
    | Cut i j share first second =>
        let c := between n share (nth i cell []) (nth j cell []) in
        qlt 0 share && qlt share 1 && Nat.ltb i (length cell) && Nat.ltb j (length cell) && negb (Nat.eqb i j) &&
        (covered (replaced i c cell) first && covered (replaced j c cell) second)
    | Face e dual b rest =>
        worst_at_most n s dual (at_ e) b && forallb (fun v => qle b (mean n (at_ e) v)) cell &&
        match find (fun v => qle (mean n (at_ e) v) b) cell with
        | None => true
        | Some v0 => covered (map (kept e b v0) cell) rest
        end
    end.

  Lemma root_mixture : forall p, allows n s p -> exists w, is_mixture n root w p.
  Proof.
    intros p A; assert (U : exists w, is_mixture n (table n (certain n)) w p).
    { exists p; assert (L : length (table n (certain n)) = n) by (unfold table; rewrite map_length, seq_length; reflexivity).
      unfold is_mixture; rewrite L; split; [apply A|]; intros x Hx.
      rewrite <- (Rmult_1_l (p x)), <- (sum_at_place n x 1 p) by assumption.
      apply sum_ext; intros i Hi; unfold real2, at2; rewrite nth_table by assumption; unfold certain.
      rewrite nth_table by assumption; unfold entry, at_place; rewrite (Nat.eqb_sym i x).
      destruct (Nat.eqb x i); rewrite ?Q2R_1, ?Q2R_0; ring. }
    unfold root; destruct s; try exact U; apply A.
  Qed.

  Lemma replaced_mixture : forall cell w p i j c t, i <> j -> (i < length cell)%nat -> (j < length cell)%nat -> 0 < t ->
    (forall x, (x < n)%nat -> real c x = t * real2 cell i x + (1 - t) * real2 cell j x) ->
    is_mixture n cell w p -> w i * (1 - t) <= w j * t -> exists w', is_mixture n (replaced i c cell) w' p.
  Proof.
    intros cell w p i j c t Hij Hi Hj Ht Hc [[W0 W1] Hp] Hw.
    set (L := length cell) in *; set (left := w i / t); set (rest := w j - w i * (1 - t) / t).
    assert (Ji : (j =? i)%nat = false) by (apply Nat.eqb_neq; auto).
    exists (fun k => if Nat.eqb k i then left else if Nat.eqb k j then rest else w k).
    assert (Two : forall f : nat -> R, sum L f = f i + f j + sum L (fun k => if Nat.eqb k j then 0 else if Nat.eqb k i then 0 else f k)).
    { intro f; rewrite (sum_but L i f Hi), (sum_but L j (fun k => if Nat.eqb k i then 0 else f k) Hj), Ji; ring. }
    unfold is_mixture; rewrite replaced_length; fold L; split; [split|].
    - intros k Hk; destruct (Nat.eqb k i); [|destruct (Nat.eqb k j); [|auto]].
      + unfold left; apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; assumption].
      + unfold rest; apply Rmult_le_reg_r with t; [assumption|]; unfold Rdiv; rewrite Rmult_0_l, Rmult_minus_distr_r, Rmult_assoc, Rinv_l by lra; lra.
    - rewrite <- W1, (Two w), Two; rewrite Nat.eqb_refl, Ji, Nat.eqb_refl; unfold left, rest.
      rewrite (sum_ext _ _ (fun k => if Nat.eqb k j then 0 else if Nat.eqb k i then 0 else w k)).
      + field; lra.
      + intros k _; destruct (Nat.eqb k j), (Nat.eqb k i); reflexivity.
    - intros x Hx; rewrite Hp by assumption; rewrite Two; symmetry; rewrite Two.
      unfold real2, at2; rewrite !nth_replaced by assumption; rewrite Nat.eqb_refl, Ji, Nat.eqb_refl.
      change (Q2R (nth x c 0%Q)) with (real c x); rewrite Hc by assumption; unfold real2, at2, left, rest.
      rewrite (sum_ext _ _ (fun k => if Nat.eqb k j then 0 else if Nat.eqb k i then 0 else w k * Q2R (nth x (nth k cell []) 0%Q))).
      + field; lra.
      + intros k _; rewrite nth_replaced by assumption; destruct (Nat.eqb k j), (Nat.eqb k i); reflexivity.
  Qed.

  Lemma mixture_sum : forall cell w p (f : nat -> R), is_mixture n cell w p ->
    sum n (fun x => p x * f x) = sum (length cell) (fun i => w i * sum n (fun x => real2 cell i x * f x)).
  Proof.
    intros cell w p f [_ Hp].
    rewrite (sum_ext _ _ (fun x => sum (length cell) (fun i => w i * (real2 cell i x * f x)))).
    - rewrite sum_swap; apply sum_ext; intros i _; apply sum_scale.
    - intros x Hx; rewrite Hp by assumption; rewrite <- sum_scale_r; apply sum_ext; intros; ring.
  Qed.

  Variable good : (nat -> R) -> Prop.
  Hypothesis Htest : forall cell k w p, test cell k = true -> is_law n p -> is_mixture n cell w p -> good p.

  Lemma covered_sound : forall t cell p, covered cell t = true -> allows n s p -> (exists w, is_mixture n cell w p) -> good p.
  Proof.
    induction t as [k|i j share first IH1 second IH2|e dual b rest IH]; intros cell p H A [w M]; simpl in H.
    - eapply Htest; [exact H|apply A|exact M].
    - apply andb_prop in H as [H H7]; apply andb_prop in H7 as [H6 H7].
      apply andb_prop in H as [H H5]; apply andb_prop in H as [H H4]; apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2].
      apply qlt_pos in H1; apply qlt_real in H2; rewrite Q2R_1 in H2; apply Nat.ltb_lt in H3, H4.
      apply negb_true_iff, Nat.eqb_neq in H5.
      set (c := between n share (nth i cell []) (nth j cell [])) in *.
      assert (C : forall x, (x < n)%nat -> real c x = Q2R share * real2 cell i x + (1 - Q2R share) * real2 cell j x).
      { intros x Hx; unfold real, at_, c, between; rewrite nth_table by assumption.
        rewrite (Qeq_eqR _ _ (Qred_correct _)), qadd_real, !qmul_real, qsub_real, Q2R_1; reflexivity. }
      destruct (Rle_lt_dec (w i * (1 - Q2R share)) (w j * Q2R share)) as [Le|Lt].
      + apply (IH1 _ p H6 A), (replaced_mixture cell w p i j c (Q2R share)); auto.
      + apply (IH2 _ p H7 A), (replaced_mixture cell w p j i c (1 - Q2R share)); auto; try lra.
        intros x Hx; rewrite C by assumption; ring.
    - apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2]; rewrite forallb_forall in H2.
      assert (B := worst_sound _ _ _ _ _ _ H1 A); rewrite (mixture_sum cell w p (fun x => Q2R (at_ e x)) M) in B.
      rewrite (sum_ext _ _ (fun i => w i * Q2R (mean n (at_ e) (nth i cell [])))) in B by (intros; rewrite mean_real; reflexivity).
      assert (M' := M); destruct M' as [[W0 W1] Hp].
      assert (N : forall i, (i < length cell)%nat -> 0 <= w i * (Q2R (mean n (at_ e) (nth i cell [])) - Q2R b)).
      { intros i Hi; apply Rmult_le_pos; [auto|]; specialize (H2 _ (nth_In cell [] Hi)); apply qle_real in H2; lra. }
      assert (S : sum (length cell) (fun i => w i * (Q2R (mean n (at_ e) (nth i cell [])) - Q2R b)) = 0).
      { apply Rle_antisym; [|apply sum_nonneg; exact N].
        rewrite (sum_ext _ _ (fun i => w i * Q2R (mean n (at_ e) (nth i cell [])) - w i * Q2R b)) by (intros; ring).
        rewrite sum_minus, sum_scale_r, W1; lra. }
      assert (Z : forall i, (i < length cell)%nat -> qle (mean n (at_ e) (nth i cell [])) b = false -> w i = 0).
      { intros i Hi F; assert (V := sum_vanishes _ _ N S i Hi); cbv beta in V.
        apply Rmult_integral in V as [V|V]; [assumption|exfalso].
        assert (L : qlt b (mean n (at_ e) (nth i cell [])) = true) by (unfold qlt, qle in *; rewrite F; reflexivity).
        apply qlt_real in L; lra. }
      destruct (find _ cell) as [v0|] eqn:Ef.
      + apply (IH _ p H3 A); exists w; unfold is_mixture; rewrite map_length; split; [split; assumption|].
        intros x Hx; rewrite Hp by assumption; apply sum_ext; intros i Hi; unfold real2, at2.
        rewrite (nth_indep (map (kept e b v0) cell) [] (kept e b v0 [])) by (rewrite map_length; assumption).
        rewrite map_nth; unfold kept; destruct (qle (mean n (at_ e) (nth i cell [])) b) eqn:E; [reflexivity|rewrite (Z i Hi E); ring].
      + exfalso; assert (sum (length cell) w = 0); [|lra].
        apply sum_zero; intros i Hi; apply Z; [assumption|]; apply (find_none _ _ Ef), nth_In; assumption.
  Qed.
End Cover.
