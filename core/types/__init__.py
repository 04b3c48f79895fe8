"""The shapes everything else speaks in: settings, data, batches, methods, metrics, studies, runs.

Import from `core.types`; nothing here imports another part of the project. Letters used in shapes throughout:
N rows, B rows of a batch, D features, C classes, A attribute groups, S = C x A subgroups
(label x attribute group, subgroup = y * A + attr), R runs, K settings, E evaluations,
P splits (train, val, test in that order), T thresholds, G groups of a partition.
"""

from __future__ import annotations

from core.types.auditing import AuditSpec, ModelOutput, Predictions, Scored, Value
from core.types.data import (
    AttributeSpec,
    Card,
    Dataset,
    DatasetEntry,
    Groups,
    GroupSpec,
    Roles,
    Splits,
    SplitSpec,
    Table,
    Task,
)
from core.types.learning import Batch, Info, Method, Net, Rows, Rule, Stage, Trained
from core.types.measuring import Metric
from core.types.runs import RUN_STATES, SPLITS, History, JobSnapshot, RunRecord, Scores
from core.types.settings import BadInput, Param
from core.types.studies import (
    BUDGET_PARAMS,
    OPTIMIZER_PARAMS,
    Budget,
    DataSpec,
    MethodSpec,
    StudySpec,
    TrainSpec,
)

__all__ = [
    "BUDGET_PARAMS",
    "OPTIMIZER_PARAMS",
    "AttributeSpec",
    "AuditSpec",
    "BadInput",
    "Batch",
    "Budget",
    "Card",
    "DataSpec",
    "Dataset",
    "DatasetEntry",
    "GroupSpec",
    "Groups",
    "History",
    "Info",
    "JobSnapshot",
    "Method",
    "MethodSpec",
    "Metric",
    "ModelOutput",
    "Net",
    "Param",
    "Predictions",
    "RUN_STATES",
    "Roles",
    "Rows",
    "Rule",
    "RunRecord",
    "SPLITS",
    "Scored",
    "Scores",
    "SplitSpec",
    "Splits",
    "Stage",
    "StudySpec",
    "Table",
    "Task",
    "TrainSpec",
    "Trained",
    "Value",
]
