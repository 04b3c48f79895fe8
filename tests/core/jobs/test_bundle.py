from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.checks.store import same_arrays
from core.data.load import save_upload
from core.jobs.bundle import export_bundle, import_bundle
from core.jobs.rules import save_rule
from core.store.sql import SqlStore
from core.types import BadInput, Roles, StudySpec


@pytest.fixture
def bundle(store, home, queue_of, training, until) -> bytes:
    """Two trained cohorts on an upload, a saved rule, and a job that never began."""
    data = save_upload(home, "people.csv", b"sex,y\nF,1\nM,0\n")
    study = store.create_study(StudySpec("Upload", data, Roles("y", "1", ("sex",)), trainings=(training(),)))
    jobs = queue_of()
    ident = jobs.submit(study, training("erm", "group_dro"))
    until(lambda: not jobs.live())
    save_rule(store, store.runs(study)[0], np.array([0.3, 0.7]), "Chosen")
    store.add_job(study, training())
    assert store.job(ident).state == "finished"
    return export_bundle(store, home, study)


@pytest.fixture
def elsewhere(tmp_path):
    opened = SqlStore(tmp_path / "elsewhere")
    yield opened
    opened.close()


def test_a_study_comes_back_with_the_same_numbers_under_new_ids(store, bundle, elsewhere):
    old = store.studies()[0]
    ident = import_bundle(elsewhere, elsewhere.home, bundle)
    assert elsewhere.study(ident).spec == old.spec and ident != old.id
    before, after = store.runs(old.id), elsewhere.runs(ident)
    assert len(before) == 5
    for one, two in zip(before, after, strict=True):
        new_ids = {"study": ident, "job": two.job, "cohort": two.cohort}
        assert replace(one, **new_ids) == two and one.job != two.job and two.cohort.startswith(two.job)
        assert one.setting_key.split(":", 1)[1].split(":")[0] == two.setting_key.split(":", 1)[1].split(":")[0]
        assert same_arrays(store.history(one.cohort), elsewhere.history(two.cohort))
        for split in ("val", "test"):
            assert same_arrays(store.scores(one.cohort, split), elsewhere.scores(two.cohort, split))
        weights = elsewhere.weights(two.cohort)
        assert all(torch.equal(weights[k], v) for k, v in store.weights(one.cohort).items())
    assert [j.state for j in elsewhere.jobs(ident)] == ["finished", "interrupted"]
    digest = old.spec.data.digest
    assert (elsewhere.home / "uploads" / digest / "people.csv").read_bytes() == b"sex,y\nF,1\nM,0\n"
    assert list((elsewhere.home / "imports").iterdir()) == []


def test_the_same_study_is_the_same_file_and_a_second_import_a_second_study(store, home, bundle):
    old = store.studies()[0]
    assert export_bundle(store, home, old.id) == bundle
    first, second = import_bundle(store, home, bundle), import_bundle(store, home, bundle)
    assert len({old.id, first, second}) == len(store.studies()) == 3
    again = export_bundle(store, home, first)
    assert import_bundle(store, home, again) and len(store.runs(first)) == 5


def test_a_training_that_was_cut_off_resumes_after_its_import(store, bundle, elsewhere, queue_of, until):
    ident = import_bundle(elsewhere, elsewhere.home, bundle)
    jobs = queue_of(store=elsewhere)
    waiting = elsewhere.jobs(ident)[1]
    jobs.resume(waiting.id)
    until(lambda: not jobs.live())
    assert elsewhere.job(waiting.id).state == "finished" and len(elsewhere.runs(ident, waiting.id)) == 2


def changed(content: bytes, change) -> bytes:
    """The bundle with its members (name -> bytes) changed in place."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members = change(members) or members
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in members.items():
            file.writestr(name, part)
    return out.getvalue()


def edited(name: str, edit):
    def change(members):
        obj = json.loads(members[name])
        edit(obj)
        members[name] = json.dumps(obj).encode()

    return change


def first_array(members, kind):
    return next(name for name in members if name.endswith(f"{kind}.safetensors"))


TAMPERED = {
    "zip slip": lambda m: {**m, "../../evil.txt": b"x"},
    "absolute path": lambda m: {**m, "/etc/evil": b"x"},
    "hidden upload": lambda m: {**m, "upload/.profile": b"x"},
    "unknown file": lambda m: {**m, "readme.txt": b"x"},
    "pickle": lambda m: {**m, "artefacts/a-0/model.pkl": b"x"},
    "no study": lambda m: {k: v for k, v in m.items() if k != "study.json"},
    "no runs": lambda m: {k: v for k, v in m.items() if k != "runs.json"},
    "broken json": lambda m: {**m, "runs.json": b"{"},
    "infinite json": lambda m: {**m, "runs.json": b'{"format": NaN}'},
    "study with an unknown field": edited("study.json", lambda o: o.update(evil=1)),
    "other format": edited("runs.json", lambda o: o.update(format="counterweight-bundle/9")),
    "unknown field of a run": edited("runs.json", lambda o: o["runs"][0].update(evil=1)),
    "unknown state": edited("runs.json", lambda o: o["runs"][0].update(state="asleep")),
    "cohort outside": edited("runs.json", lambda o: o["runs"][0].update(cohort="../x")),
    "cohort of another job": edited("runs.json", lambda o: o["runs"][0].update(cohort="other-0")),
    "run of no job": edited("runs.json", lambda o: o.update(jobs=[])),
    "run twice": edited("runs.json", lambda o: o["runs"].append(o["runs"][0])),
    "run missing": edited("runs.json", lambda o: o["runs"].pop(0)),
    "setting that is a list": edited("runs.json", lambda o: o["runs"][0].update(settings={"lr": [1]})),
    "seed as text": edited("runs.json", lambda o: o["runs"][0].update(seed="0")),
    "other table": lambda m: {**m, "upload/people.csv": b"sex,y\nF,0\n"},
    "history of another cohort's size": lambda m: {**m, first_array(m, "history"): m[
        next(n for n in m if "rule" in n and n.endswith("history.safetensors"))]},
    "damaged array": lambda m: {**m, first_array(m, "val"): b"\xff" * 100},
    "scores missing": lambda m: {k: v for k, v in m.items() if k != first_array(m, "test")},
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_bundles_are_refused_and_leave_nothing_behind(bundle, elsewhere, name):
    with pytest.raises(BadInput) as refused:
        import_bundle(elsewhere, elsewhere.home, changed(bundle, TAMPERED[name]))
    assert "\n" not in str(refused.value)
    left = {p.relative_to(elsewhere.home).parts[0] for p in elsewhere.home.rglob("*") if p.is_file()}
    assert elsewhere.studies() == [] and all(part.startswith(("counterweight.db", "uploads")) for part in left)


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04" + b"\0" * 50, b"x" * 1000])
def test_what_is_no_zip_file_is_one_sentence(elsewhere, content):
    with pytest.raises(BadInput, match="^Bundle: "):
        import_bundle(elsewhere, elsewhere.home, content)


def test_a_zip_file_cut_anywhere_is_one_sentence(bundle, elsewhere):
    for length in range(0, len(bundle), max(1, len(bundle) // 25)):
        with pytest.raises(BadInput):
            import_bundle(elsewhere, elsewhere.home, bundle[:length])
    assert elsewhere.studies() == []


def test_flipped_bytes_are_refused_or_harmless(bundle, elsewhere, rng):
    for place in rng.integers(0, len(bundle), 40):
        broken = bytearray(bundle)
        broken[place] ^= 0xFF
        try:
            import_bundle(elsewhere, elsewhere.home, bytes(broken))
        except BadInput:
            continue


def test_a_zip_bomb_is_refused_before_it_is_unpacked(elsewhere, monkeypatch):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("study.json", b" " * 200_000_000)
    with pytest.raises(BadInput, match="bytes"):
        import_bundle(elsewhere, elsewhere.home, out.getvalue())
    import core.jobs.bundle as module

    monkeypatch.setattr(module, "MAX_TOTAL", 1_000_000)
    with pytest.raises(BadInput, match="more than this server takes"):
        import_bundle(elsewhere, elsewhere.home, out.getvalue())
    assert elsewhere.studies() == []


def test_an_encrypted_or_doubled_member_is_refused(bundle, elsewhere):
    twice = io.BytesIO(bundle)
    with pytest.warns(UserWarning), zipfile.ZipFile(twice, "a") as file:
        file.writestr("study.json", b"{}")
    with pytest.raises(BadInput, match="study.json"):
        import_bundle(elsewhere, elsewhere.home, twice.getvalue())
