"""Train: what should be tried?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core import registry
from core.engine.estimate import Estimate, estimate
from core.engine.plan import check_task, plan_cohorts
from core.types import BadInput, StudySpec, Task, TrainSpec
from pages._ui import budget, empty, method_picker, nav, progress, results, state
from pages._ui.text import count, duration, plain


def cost(task: Task, train: TrainSpec) -> Estimate:
    """Check the whole training and say what it takes; the same question is answered once."""
    return _cost(state.digest(task.fingerprint, train), task, train)


@st.cache_data(show_spinner=False, max_entries=200)
def _cost(key: str, _task: Task, _train: TrainSpec) -> Estimate:
    net, methods = registry.net(_train.net), registry.methods()
    cohorts = plan_cohorts(_train, methods, net)
    for cohort in cohorts:
        check_task(_task, methods[cohort.method], net)
    return estimate(_task, cohorts, methods, net)


def two_classes(spec: StudySpec) -> None:
    """Turn a number to predict into two classes, cut at its median, and show the page again."""
    middle = float(state.table(spec.data).frame[spec.roles.label].median())
    state.save(row.id, replace(spec, roles=replace(spec.roles, task="binary", positive="yes", threshold=middle)))
    st.rerun()


def answer(found: Estimate | None, train: TrainSpec | None) -> None:
    """How many runs, how long, how much memory."""
    if found is None or train is None:
        st.write("Choose what to try; the runs, the time and the memory it takes are said here.")
        return
    models = "" if found.n_models == found.n_runs else f" from {count(found.n_models, 'trained model')}"
    where = "this machine's processor" if train.device in ("auto", "cpu") else "a processor"
    st.write(f"**{count(found.n_runs, 'run')}**{models} of {count(len(train.methods), 'method')} with "
             f"{count(len(train.seeds), 'seed')}: about **{duration(found.seconds)}** and "
             f"**{max(1, found.bytes / 2**20):,.0f} MB** of memory on {where}.")


def is_there(train: TrainSpec | None) -> bool:
    """Whether the study holds this very training, and all that was begun has ended."""
    every = results.runs(row.id)
    return bool(every) and train in row.spec.trainings and all(run.state in results.SETTLED for run in every)


def start(train: TrainSpec) -> None:
    """Hand the training to the queue and keep it in the study; from now on it goes on without this window."""
    state.jobs().submit(row.id, train)
    if train not in row.spec.trainings:
        state.save(row.id, replace(row.spec, name=row.name, trainings=(*row.spec.trainings, train)))
    st.rerun()


row = state.require_study()
st.title("What should be tried?", anchor=False)
if row.spec.roles.task == "regression":
    empty.empty("Training needs classes so far", f"The label **{plain(row.spec.roles.label)}** is a number. Its values "
                "and groups can be explored on the Data page, but models are trained on classes only: cut it at its "
                "median, and change the cut on the Data page.", "Make two classes", two_classes, row.spec, key="cut")
    st.stop()
try:
    task = state.task(row.spec)
except BadInput as refused:
    st.error(plain(refused, 400))
    nav.link("data", "Correct the roles on the Data page")
    st.stop()

said = st.container()
begin = st.container(horizontal=True, vertical_alignment="center", key="begin")
progress.live(row.id, progress.panel, row.id)

last = row.spec.trainings[-1] if row.spec.trainings else TrainSpec((), budget=budget.first(task))
st.subheader("Methods", anchor=False)
methods = method_picker.choose(f"{row.id}:train", task, last.methods)
st.subheader("Model and budget", anchor=False)
train = budget.form(f"{row.id}:train", task, last, methods)

found = None
try:
    found = cost(task, train) if train is not None else None
except BadInput as refused:
    with said:
        st.error(plain(refused, 400))
with said:
    answer(found, train)
with begin:
    if st.button("Start training", type="primary", key="start", disabled=found is None,
                 help="Trains in the background: leave the page, reload it, or send its link to somebody."):
        start(train)
    if is_there(train):
        st.caption("The study holds this very training already: starting it trains it once more, to the same numbers. "
                   "Change a setting or add seeds to learn something new.")
    if found is not None and found.n_runs > 500:
        st.caption("That is a lot for one front: fewer seeds or values give an answer sooner.")

with st.expander("How is this computed", key="how-train"):
    st.markdown(
        "- **Runs.** Every combination of a method's values, learning rates and weight decays is trained once for each "
        "seed. Decision rules (thresholds) are added to a trained model without training it again.\n"
        "- **Stacked.** All settings and seeds of a method are trained together on one shared order of rows, so runs "
        "differ by their setting alone. Methods marked *looped* are trained one after another.\n"
        "- **Fewer models than runs.** Runs that differ in a decision rule alone share one trained model.\n"
        "- **Equal budgets.** A run is a number of steps, not of passes over its rows: a method that keeps a tenth of "
        "the rows would otherwise train a tenth as long.\n"
        "- **Time and memory** are estimated from a short measurement on this machine and are right within a factor of "
        "about two. A run that diverges is shown as diverged; it does not stop the others.")
