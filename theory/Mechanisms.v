(* What the theorems are about: mechanisms, distortion, what is known of the source, and privacy loss.

   Everything a reader must agree with stands here, in real numbers. Inputs are 0, ..., n - 1 and outputs 0, ..., m - 1. *)

From Coq Require Import Reals List Arith Bool QArith Qreals.
From Epstar Require Import Sums Numbers.
Import ListNotations.
Open Scope R_scope.

(* Q x y is the probability of the output y for the input x. *)
Definition is_mechanism (n m : nat) (Q : nat -> nat -> R) : Prop :=
  (forall x y, (x < n)%nat -> (y < m)%nat -> 0 <= Q x y) /\ (forall x, (x < n)%nat -> sum m (Q x) = 1).

Definition is_law (n : nat) (p : nat -> R) : Prop := (forall x, (x < n)%nat -> 0 <= p x) /\ sum n p = 1.

(* The mean cost under a distribution p of the inputs. *)
Definition distortion (n m : nat) (d : nat -> nat -> R) (p : nat -> R) (Q : nat -> nat -> R) : R :=
  sum n (fun x => p x * sum m (fun y => Q x y * d x y)).

(* The probability of an output, and of an event: a set of outputs. *)
Definition output (n : nat) (p : nat -> R) (Q : nat -> nat -> R) (y : nat) : R := sum n (fun x => p x * Q x y).
Definition chance (m : nat) (f : nat -> R) (event : nat -> bool) : R := sum m (fun y => if event y then f y else 0).

(* x to the power a, and nothing to any power is nothing. *)
Definition power (x a : R) : R := if Rlt_dec 0 x then Rpower x a else 0.

(* What is known of the input distribution. *)
Inductive knowledge :=
  | Prior (p : list Q)                         (* this distribution *)
  | Finite (ps : list (list Q))                (* one of these *)
  | Hull (ps : list (list Q))                  (* a mixture of these *)
  | Box (lower upper : list Q)                 (* each probability within bounds *)
  | Ball (center : list Q) (radius : Q)        (* within an L1 distance of a distribution *)
  | Polytope (A : list (list Q)) (b : list Q)  (* linear inequalities A p <= b *)
  | Everything.

Definition is_mixture (n : nat) (ps : list (list Q)) (w : nat -> R) (p : nat -> R) : Prop :=
  is_law (length ps) w /\ forall x, (x < n)%nat -> p x = sum (length ps) (fun i => w i * real2 ps i x).

Definition allows (n : nat) (s : knowledge) (p : nat -> R) : Prop :=
  is_law n p /\
  match s with
  | Prior q => forall x, (x < n)%nat -> p x = real q x
  | Finite qs => exists i, (i < length qs)%nat /\ forall x, (x < n)%nat -> p x = real2 qs i x
  | Hull qs => exists w, is_mixture n qs w p
  | Box lower upper => forall x, (x < n)%nat -> real lower x <= p x <= real upper x
  | Ball center radius => sum n (fun x => Rabs (p x - real center x)) <= Q2R radius
  | Polytope A b => forall k, (k < length A)%nat -> sum n (fun x => real2 A k x * p x) <= real b k
  | Everything => True
  end.

(* The notions of privacy. *)
Inductive privacy :=
  | differential_privacy
  | approximate_differential_privacy (delta : Q)
  | pointwise_approximate_differential_privacy (delta : Q)
  | identifiability
  | maximal_information
  | local_information_privacy (delta : Q)
  | maximal_leakage
  | min_entropy_leakage
  | min_entropy_capacity
  | mutual_information
  | capacity
  | pointwise_leakage
  | renyi_differential_privacy (order : Q)
  | sibson_mutual_information (order : Q).     (* other than 1, at which it is mutual information *)

(* Inputs that are compared have a distance; the others have none. *)
Record problem := {
  notion : privacy;
  inputs : nat;
  outputs : nat;
  distance : nat -> nat -> option Q;
  source : knowledge;
  cost : nat -> nat -> Q
}.

Section Losses.
  Variables (n m : nat) (distance : nat -> nat -> option Q).

  (* Q(S|x) <= e^(eps d(x,x')) Q(S|x') + delta for every event S and all inputs that are compared (Dwork and others 2006). *)
  Definition keeps_events (delta : R) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x x' d event, (x < n)%nat -> (x' < n)%nat -> distance x x' = Some d ->
      chance m (Q x) event <= exp (eps * Q2R d) * chance m (Q x') event + delta.

  (* The same for single outputs. *)
  Definition keeps_outputs (delta : R) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x x' d y, (x < n)%nat -> (x' < n)%nat -> (y < m)%nat -> distance x x' = Some d ->
      Q x y <= exp (eps * Q2R d) * Q x' y + delta.

  (* P(x|y) <= e^(eps d(x,x')) P(x'|y): posterior probabilities of inputs that are compared (Wang and others 2016). *)
  Definition identifies (p : nat -> R) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x x' d y, (x < n)%nat -> (x' < n)%nat -> (y < m)%nat -> distance x x' = Some d -> 0 < output n p Q y ->
      p x * Q x y / output n p Q y <= exp (eps * Q2R d) * (p x' * Q x' y / output n p Q y).

  (* log (Q(y|x) / P(y)) <= eps (Zhong and Bu 2022). *)
  Definition informs (p : nat -> R) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x y, (x < n)%nat -> (y < m)%nat -> 0 < Q x y -> 0 < output n p Q y /\ ln (Q x y / output n p Q y) <= eps.

  (* e^(-eps) Q(S|x) - delta <= P(S) <= e^eps Q(S|x) + delta (Ngo and others 2024). *)
  Definition stays_near (delta : R) (p : nat -> R) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x event, (x < n)%nat ->
      exp (- eps) * chance m (Q x) event - delta <= chance m (output n p Q) event
        <= exp eps * chance m (Q x) event + delta.

  (* log of the sum over outputs of the largest probability (Issa and others 2020). *)
  Definition leakage (Q : nat -> nat -> R) : R := ln (sum m (fun y => largest n (fun x => Q x y))).

  (* log of the chance of guessing the input after and before the output (Smith 2009). *)
  Definition guessing_leakage (p : nat -> R) (Q : nat -> nat -> R) : R :=
    ln (sum m (fun y => largest n (fun x => p x * Q x y)) / largest n p).

  (* Kullback and Leibler's divergence of a row from the distribution of the output; Shannon's information is its mean. *)
  Definition divergence (p : nat -> R) (Q : nat -> nat -> R) (x : nat) : R :=
    sum m (fun y => Q x y * ln (Q x y / output n p Q y)).
  Definition information (p : nat -> R) (Q : nat -> nat -> R) : R := sum n (fun x => p x * divergence p Q x).

  (* Renyi's divergence of order a, 1/(a-1) log of the sum of p^a q^(1-a), is at most eps. At order 1 it is Kullback and
     Leibler's. From there on it is infinite if q excludes an output that p does not, below 1 if they share none. *)
  Definition powers (a : R) (p q : nat -> R) : R := sum m (fun y => power (p y) a * power (q y) (1 - a)).
  Definition diverges_at_most (a : Q) (p q : nat -> R) (eps : R) : Prop :=
    (1 <= Q2R a -> forall y, (y < m)%nat -> 0 < p y -> 0 < q y) /\
    if Qeq_bool a 1 then sum m (fun y => p y * ln (p y / q y)) <= eps
    else 0 < powers (Q2R a) p q /\ ln (powers (Q2R a) p q) / (Q2R a - 1) <= eps.

  (* The divergence of rows is at most eps d(x,x') (Mironov 2017). *)
  Definition keeps_divergences (a : Q) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x x' d, (x < n)%nat -> (x' < n)%nat -> distance x x' = Some d -> diverges_at_most a (Q x) (Q x') (eps * Q2R d).

  (* a/(a-1) log of the sum over outputs of (the sum over inputs of p(x) Q(y|x)^a)^(1/a) (Sibson 1969). *)
  Definition sibson_information (a : R) (p : nat -> R) (Q : nat -> nat -> R) : R :=
    a / (a - 1) * ln (sum m (fun y => power (sum n (fun x => p x * power (Q x y) a)) (/ a))).

  Definition loses_pointwise (p : nat -> R) (Q : nat -> nat -> R) (eps : R) : Prop :=
    forall x, (x < n)%nat ->
      (forall y, (y < m)%nat -> 0 < Q x y -> 0 < output n p Q y) /\ divergence p Q x <= eps.
End Losses.

(* The loss of the mechanism is at most eps, under every distribution that the source allows. *)
Definition loss_at_most (P : problem) (Q : nat -> nat -> R) (eps : R) : Prop :=
  let n := inputs P in let m := outputs P in
  match notion P with
  | differential_privacy => keeps_events n m (distance P) 0 Q eps
  | approximate_differential_privacy delta => keeps_events n m (distance P) (Q2R delta) Q eps
  | pointwise_approximate_differential_privacy delta => keeps_outputs n m (distance P) (Q2R delta) Q eps
  | identifiability => forall p, allows n (source P) p -> identifies n m (distance P) p Q eps
  | maximal_information => forall p, allows n (source P) p -> informs n m p Q eps
  | local_information_privacy delta => forall p, allows n (source P) p -> stays_near n m (Q2R delta) p Q eps
  | maximal_leakage => leakage n m Q <= eps
  | min_entropy_leakage => forall p, allows n (source P) p -> guessing_leakage n m p Q <= eps
  | min_entropy_capacity => forall p, is_law n p -> guessing_leakage n m p Q <= eps
  | mutual_information => forall p, allows n (source P) p -> information n m p Q <= eps
  | capacity => forall p, is_law n p -> information n m p Q <= eps
  | pointwise_leakage => forall p, allows n (source P) p -> loses_pointwise n m p Q eps
  | renyi_differential_privacy order => keeps_divergences n m (distance P) order Q eps
  | sibson_mutual_information order => forall p, allows n (source P) p -> sibson_information n m (Q2R order) p Q <= eps
  end.

Definition distortion_under (P : problem) (p : nat -> R) (Q : nat -> nat -> R) : R :=
  distortion (inputs P) (outputs P) (fun x y => Q2R (cost P x y)) p Q.

(* A loss that is claimed: a number, the logarithm of one, or none that is finite. *)
Inductive level := Number (q : Q) | Log (q : Q) | Infinite.

Definition below_level (l : level) (eps : R) : Prop :=
  match l with Number q => eps < Q2R q | Log q => eps < ln (Q2R q) | Infinite => True end.

(* The two claims. *)
Definition mechanism_of (P : problem) (Q : nat -> nat -> R) : Prop := is_mechanism (inputs P) (outputs P) Q.

Definition has_loss (P : problem) (Q : nat -> nat -> R) (l : level) : Prop :=
  match l with
  | Number q => loss_at_most P Q (Q2R q)
  | Log q => loss_at_most P Q (ln (Q2R q))
  | Infinite => True
  end.

(* Some mechanism has loss <= l and distortion <= D under every distribution that the source allows. *)
Definition attained (P : problem) (l : level) (D : Q) : Prop :=
  exists Q, mechanism_of P Q /\ has_loss P Q l /\
    forall p, allows (inputs P) (source P) p -> distortion_under P p Q <= Q2R D.

(* No mechanism has loss < l and distortion <= D. *)
Definition no_smaller_loss (P : problem) (l : level) (D : Q) : Prop :=
  ~ exists Q eps, mechanism_of P Q /\ below_level l eps /\ loss_at_most P Q eps /\
    forall p, allows (inputs P) (source P) p -> distortion_under P p Q <= Q2R D.

(* No mechanism has loss <= l and distortion < D. *)
Definition no_smaller_distortion (P : problem) (l : level) (D : Q) : Prop :=
  ~ exists Q, mechanism_of P Q /\ has_loss P Q l /\
    forall p, allows (inputs P) (source P) p -> distortion_under P p Q < Q2R D.

(* Whatever it costs: no mechanism has loss < l, none has loss <= l, some mechanism has loss <= l. *)
Definition no_loss_below (P : problem) (l : level) : Prop :=
  ~ exists Q eps, mechanism_of P Q /\ below_level l eps /\ loss_at_most P Q eps.
Definition no_mechanism (P : problem) (l : level) : Prop := ~ exists Q, mechanism_of P Q /\ has_loss P Q l.
Definition some_mechanism (P : problem) (l : level) : Prop := exists Q, mechanism_of P Q /\ has_loss P Q l.

(* Costs and distances that have names. *)
Definition hamming (x y : nat) : Q := if Nat.eqb x y then 0 else 1.
Definition matrix (d : list (list Q)) (x y : nat) : Q := at2 d x y.

Definition alphabet (x x' : nat) : option Q := if Nat.eqb x x' then None else Some 1%Q.
Definition edge (a b : nat) (e : nat * nat) : bool := Nat.eqb a (fst e) && Nat.eqb b (snd e).
Definition graph (edges : list (nat * nat)) (x x' : nat) : option Q :=
  if existsb (fun e => edge x x' e || edge x' x e) edges then Some 1%Q else None.
Definition metric (d : list (list (option Q))) (x x' : nat) : option Q :=
  if Nat.eqb x x' then None else nth x' (nth x d []) None.
(* Databases of some rows over m values, numbered as their rows are written: how many rows differ. *)
Fixpoint rows_apart (m rows x y : nat) : nat :=
  match rows with
  | O => O
  | S r => ((if Nat.eqb (x mod m) (y mod m) then 0 else 1) + rows_apart m r (x / m) (y / m))%nat
  end.
Definition databases (m rows x x' : nat) : option Q := if Nat.eqb (rows_apart m rows x x') 1 then Some 1%Q else None.
Definition rows_changed (m rows x y : nat) : Q := inject_Z (Z.of_nat (rows_apart m rows x y)).
