"""The Gaussian mechanism: privacy curves, capacities and calibration, all with proven bounds."""

from epstar.gaussian.ball import BallCapacity, ball_capacity
from epstar.gaussian.calibrate import Calibration, calibrate
from epstar.gaussian.closed import ball_leakage
from epstar.gaussian.escape import FarInputs
from epstar.gaussian.inputs import DiscreteInput
from epstar.gaussian.losses import GaussianLoss, gaussian_loss
from epstar.gaussian.mechanism import Gaussian

__all__ = [
    "BallCapacity",
    "Calibration",
    "DiscreteInput",
    "FarInputs",
    "Gaussian",
    "GaussianLoss",
    "ball_capacity",
    "ball_leakage",
    "calibrate",
    "gaussian_loss",
]
