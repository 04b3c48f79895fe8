from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import registry
from core.study import FORMAT, dump_study, dump_train, parse_study, parse_train, read_study
from core.types import (
    AttributeSpec,
    BadInput,
    Budget,
    DataSpec,
    GroupSpec,
    Method,
    MethodSpec,
    Param,
    Roles,
    SplitSpec,
    StudySpec,
    TrainSpec,
)

word = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
filled = word.filter(str.strip)
slug = st.text(string.ascii_lowercase + "_", min_size=1, max_size=12)
number = st.floats(-1e9, 1e9)
value = st.one_of(st.booleans(), st.integers(-10**12, 10**12), number, word)
roles = st.builds(
    Roles, label=filled, positive=st.none() | word, attributes=st.lists(word, max_size=3).map(tuple),
    weight=st.none() | word, key=st.none() | word, text=st.lists(word, max_size=2).map(tuple),
    text_encoder=slug, dropped=st.dictionaries(word, word, max_size=3),
    task=st.sampled_from(["binary", "multiclass", "regression"]), threshold=st.none() | number,
    attributes_as_features=st.booleans(),
)  # fmt: skip
attribute = st.builds(AttributeSpec, column=filled, edges=st.lists(number, max_size=3).map(tuple),
                      quantiles=st.integers(0, 20), words=st.dictionaries(word, word, max_size=3))
groups = st.builds(GroupSpec, attributes=st.lists(attribute, max_size=3).map(tuple), min_rows=st.integers(0, 10**6),
                   order=st.sampled_from(["size", "name"]), reference=word)
budget = st.builds(
    Budget, iterations=st.integers(1, 10**6), evaluations=st.integers(1, 500), batch_size=st.integers(2, 65536),
    optimizer=st.sampled_from(["adamw", "sgd"]), lr=st.lists(st.floats(1e-6, 10), min_size=1, max_size=3).map(tuple),
    weight_decay=st.lists(st.floats(0, 100), min_size=1, max_size=3).map(tuple),
)  # fmt: skip
method = st.builds(MethodSpec, name=slug, settings=st.dictionaries(
    slug, st.lists(value, min_size=1, max_size=3).map(tuple), max_size=3))
train = st.builds(
    TrainSpec, methods=st.lists(method, min_size=1, max_size=3).map(tuple), net=slug,
    net_settings=st.dictionaries(slug.filter(lambda s: s != "net"), value, max_size=2),
    seeds=st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=4).map(tuple), budget=budget,
    device=st.sampled_from(["auto", "cpu", "cuda", "mps"]), precision=st.sampled_from(["float32", "bfloat16"]),
)  # fmt: skip
data = st.one_of(
    st.builds(DataSpec, source=st.just("builtin"), name=slug, options=st.dictionaries(slug, value, max_size=2)),
    st.builds(DataSpec, source=st.just("upload"), name=filled, digest=st.just("ab" * 32)),
    st.builds(DataSpec, source=st.just("path"), name=filled, path=filled),
)
study = st.builds(StudySpec, name=filled, data=data, roles=st.none() | roles, groups=groups,
                  split=st.builds(SplitSpec, seed=st.integers(0, 2**31 - 1), train=st.floats(0.1, 0.8)),
                  trainings=st.lists(train, max_size=2).map(tuple))


@given(study)
def test_a_study_survives_its_file(spec):
    assert read_study(json.dumps(dump_study(spec), allow_nan=False).encode()) == spec
    assert read_study(json.dumps(dump_study(spec), ensure_ascii=False).encode()) == spec


@given(train)
def test_a_training_survives_json(spec):
    assert parse_train(json.loads(json.dumps(dump_train(spec)))) == spec


KNOWN = ["name", "methods", "settings", "low", "high", "points", "label", "edges", "source", "net", "lr"]
scraps = st.recursive(
    st.none() | value | st.just(float("nan")),
    lambda c: st.lists(c, max_size=3) | st.dictionaries(st.sampled_from(KNOWN) | word, c, max_size=3), max_leaves=12)


@given(st.dictionaries(st.sampled_from(["name", "data", "roles", "groups", "split", "trainings", "methods", "model",
                                        "seeds", "budget", "device", "format"]), scraps, max_size=6))
def test_any_other_object_gives_a_study_or_one_sentence(obj):
    try:
        assert isinstance(parse_study(obj), StudySpec)
    except BadInput as refused:
        assert refused.field and "Traceback" not in str(refused)


@given(st.binary(max_size=60))
def test_any_bytes_give_one_sentence(content):
    with pytest.raises(BadInput):
        read_study(content)


def bare(**more):
    return {"data": {"source": "builtin", "name": "adult"}, "roles": {"label": "income"}, **more}


def test_one_training_may_stand_at_the_top():
    spec = parse_study(bare(methods=["erm", {"name": "group_dro", "settings": {"eta": 0.1}}], seeds=4,
                            model={"net": "linear"}, budget={"iterations": 50, "lr": 0.01}))
    assert spec.trainings == (TrainSpec(
        methods=(MethodSpec("erm"), MethodSpec("group_dro", {"eta": (0.1,)})), net="linear", seeds=(4,),
        budget=Budget(iterations=50, lr=(0.01,))),)  # fmt: skip
    with pytest.raises(BadInput, match="^methods: "):
        parse_study(bare(methods=["erm"], trainings=[]))


def test_ranges_are_spaced_as_the_setting_says(monkeypatch):
    plain = Method("probe", "Probe", "baseline", "s", "s", params=(
        Param("lam", 0.1, 0.001, 10.0, log=True), Param("k", 2, 1, 9), Param("kind", "a", choices=("a", "b"))))
    monkeypatch.setattr(registry, "method", lambda name: plain)
    spec = parse_train({"methods": [{"name": "probe", "settings": {
        "lam": {"low": 0.01, "high": 1, "points": 3}, "k": {"low": 1, "high": 9, "points": 3}}}],
        "budget": {"lr": {"low": 0.001, "high": 0.1, "points": 3}, "weight_decay": [0, 0.1]}})
    assert spec.methods[0].settings == {"lam": (0.01, 0.1, 1.0), "k": (1, 5, 9)}
    assert spec.budget.lr == (0.001, 0.01, 0.1) and spec.budget.weight_decay == (0.0, 0.1)
    for settings, name in [({"kind": {"low": 0, "high": 1}}, "kind"), ({"lam": {"low": 0, "high": 1}}, "lam"),
                           ({"mu": {"low": 0, "high": 1}}, "mu"), ({"lam": {"low": 1}}, "lam.high"),
                           ({"lam": []}, "lam"), ({"lam": [[1]]}, r"lam\[0\]")]:
        with pytest.raises(BadInput, match=rf"^methods\[0\]\.settings\.{name}: "):
            parse_train({"methods": [{"name": "probe", "settings": settings}]})


@pytest.mark.parametrize(("change", "field"), [
    ({"trainings": [{"methods": ["erm"], "budget": {"iterations": 1.5}}]}, r"trainings\[0\]\.budget\.iterations"),
    ({"trainings": [{"methods": ["erm"], "seeds": [0, -1]}]}, r"trainings\[0\]\.seeds\[1\]"),
    ({"trainings": [{}]}, r"trainings\[0\]\.methods"), ({"trainings": {}}, "trainings"),
    ({"roles": {"label": "y", "positives": "x"}}, r"roles\.positives"), ({"roles": {}}, r"roles\.label"),
    ({"roles": {"label": "y", "task": "ranking"}}, r"roles\.task"), ({"groups": {"order": "age"}}, r"groups\.order"),
    ({"groups": {"attributes": [{"column": "age", "edges": ["40"]}]}}, r"groups\.attributes\[0\]\.edges\[0\]"),
    ({"split": {"train": "most"}}, r"split\.train"), ({"format": "counterweight-study/9"}, "format"),
    ({"data": {"source": "web", "name": "x"}}, r"data\.source"), ({"data": {"source": "path"}}, r"data\.path"),
    ({"data": {"name": "adult", "options": {"n": [1]}}}, r"data\.options\.n"), ({"name": " "}, "name"),
    ({"name": "n" * 300}, "name"), ({"model": {"hidden": None}, "methods": ["erm"]}, r"model\.hidden"),
])  # fmt: skip
def test_the_sentence_names_the_dotted_field(change, field):
    with pytest.raises(BadInput, match=f"^{field}: found "):
        parse_study(bare() | change)


def test_words_for_those_who_write_by_hand():
    spec = parse_study({"data": "tables/people.csv", "roles": {"label": "y", "attrs": "sex", "dropped": ["id"]}})
    assert spec.data == DataSpec("path", "people.csv", path="tables/people.csv") and spec.name == "people.csv"
    assert spec.roles.attributes == ("sex",) and list(spec.roles.dropped) == ["id"]
    assert spec.groups == GroupSpec((AttributeSpec("sex"),))


def test_what_made_a_file_is_passed_over():
    assert parse_study(bare(versions={"torch": "2"}, fingerprints={}, format=FORMAT)).trainings == ()


def test_a_built_in_set_brings_its_roles_and_groups(monkeypatch):
    entry = type("Entry", (), {"params": (), "roles": lambda self, o: Roles("y", "1", ("sex",)),
                               "groups": lambda self, o: GroupSpec((AttributeSpec("sex"),), min_rows=5)})()
    monkeypatch.setattr(registry, "dataset", lambda name: entry)
    spec = parse_study({"data": {"name": "adult"}})
    assert spec.roles == Roles("y", "1", ("sex",)) and spec.groups.min_rows == 5
    assert parse_study({"data": {"name": "adult"}, "roles": None}).roles is None
