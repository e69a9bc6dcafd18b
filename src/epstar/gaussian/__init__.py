"""The Gaussian mechanism: privacy curves, capacities and calibration, all with proven bounds."""

from epstar.gaussian.calibrate import Calibration, FarInputs, calibrate
from epstar.gaussian.capacity import BallCapacity, ball_capacity
from epstar.gaussian.closed_forms import ball_leakage
from epstar.gaussian.covariance import CovariantGaussian
from epstar.gaussian.discrete_inputs import DiscreteInput
from epstar.gaussian.losses import GaussianLoss, gaussian_loss
from epstar.gaussian.mechanism import Gaussian

__all__ = [
    "BallCapacity",
    "Calibration",
    "CovariantGaussian",
    "DiscreteInput",
    "FarInputs",
    "Gaussian",
    "GaussianLoss",
    "ball_capacity",
    "ball_leakage",
    "calibrate",
    "gaussian_loss",
]
