"""Why no mechanism does better: a weight for each answer, checked in exact rationals.

Let M be private with ratio E between neighbours, on answers with prior pi, and let each output be remapped to
its best guess; outputs with the same guess z count as one, so that the utility is the sum of pi[z] M[z][z].
Privacy gives M[y][z] >= M[z][z] K[y][z] with K[y][z] = E^-distance(y, z), and the rows of M sum to 1, hence
sum over z of K[y][z] M[z][z] <= 1 for every y. For weights b >= 0 with K b >= pi (K is symmetric) therefore

    utility = sum_z pi[z] M[z][z] <= sum_z (K b)[z] M[z][z] = sum_y b[y] (K M_diagonal)[y] <= sum_y b[y].

The same weights, sent along shortest paths, are multipliers of the privacy constraints: an epstar `Converse`.
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational
from epstar.query.answer_graph import Shape
from epstar.query.exponential_kernel import Vector, different, kernel_entry, total, tree_solution

_MOST_PRODUCTS = 1 << 22


@dataclass(frozen=True, eq=False)
class KernelCertificate:
    """Weights b on the answers that bound the 0/1 utility of every mechanism with ratio at most E.

    >>> from epstar.query.known_graphs import Clique
    >>> half = Rational(1, 2)
    >>> KernelCertificate(Clique("ny"), Rational(3), (half, half), (Rational(3, 8), Rational(3, 8))).check()
    3/4
    """

    shape: Shape
    ratio: Rational
    prior: Vector
    weights: Vector

    def check(self) -> Rational:
        """Return the bound on the utility that the weights prove, by exact arithmetic alone.

        Raises:
            ProofRejected: if a weight is negative, or K b >= pi fails.
            InvalidInput: if the check would multiply more than 2**22 pairs.
        """
        if not len(self.prior) == len(self.weights) == self.shape.size:
            raise ProofRejected("The certificate does not have one weight and one probability per answer.")
        if self.ratio < ONE:
            raise ProofRejected("The ratio between neighbours is below 1.")
        if min(different(self.weights)) < 0:
            raise ProofRejected("A weight is negative, so that it proves nothing.")
        if not (self._covers_by_spheres() or self._covers_by_tree() or self._covers_by_products()):
            raise ProofRejected("The weights do not cover the prior, so that they prove nothing.")
        return total(self.weights)

    def _covers_by_spheres(self) -> bool:
        """Equal weights where all spheres are alike: K b is S times the weight."""
        if len(set(different(self.weights))) > 1:
            return False
        spheres = self.shape.sphere_sum(ONE / self.ratio)
        return spheres is not None and spheres * self.weights[0] >= max(different(self.prior))

    def _covers_by_tree(self) -> bool:
        """On a tree b >= K^-1 pi suffices, because K has no negative entry."""
        if not self.shape.is_tree or self.ratio == ONE:
            return False
        needed = tree_solution(self.shape, self.ratio, self.prior)
        return all(weight >= need for weight, need in zip(self.weights, needed, strict=True))

    def _covers_by_products(self) -> bool:
        if self.shape.is_clique:
            q, mass = ONE / self.ratio, total(self.weights)
            return all(
                q * mass + (ONE - q) * weight >= chance for weight, chance in zip(self.weights, self.prior, strict=True)
            )
        support = [z for z, weight in enumerate(self.weights) if weight > 0]
        if len(support) * self.shape.size > _MOST_PRODUCTS:
            raise InvalidInput("The certificate is too large to be checked pair by pair; ask about fewer answers.")
        return all(
            sum((kernel_entry(self.shape, self.ratio, y, z) * self.weights[z] for z in support), ZERO) >= chance
            for y, chance in enumerate(self.prior)
        )

    def multipliers(self) -> dict[tuple[int, int, int], Rational]:
        """Return {(x, x', z): multiplier} of the constraints M[x][z] <= E M[x'][z] that prove the same bound.

        For each guess z the weights travel to z along a tree of shortest paths, losing a factor E per step: the
        multiplier of an edge is what passes through it. Takes answers squared many numbers.
        """
        found: dict[tuple[int, int, int], Rational] = {}
        q = ONE / self.ratio
        neighbours: list[list[int]] = [[] for _ in self.prior]
        for i, j in self.shape.edges().tolist():
            neighbours[i].append(j)
            neighbours[j].append(i)
        for z in range(self.shape.size):
            parent, order = {z: z}, [z]
            for x in order:  # grows while it is walked: breadth-first search
                for other in neighbours[x]:
                    if other not in parent:
                        parent[other] = x
                        order.append(other)
            carried = {x: self.weights[x] for x in order}
            for x in reversed(order[1:]):
                through = q * carried[x]
                carried[parent[x]] += through
                if through > 0:
                    found[parent[x], x, z] = through
        return found
