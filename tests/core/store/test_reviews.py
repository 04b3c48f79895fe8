from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from core.checks.store import SPEC
from core.store.base import NotFound
from core.store.reviews import WEIGHTS, Conflict, Reviews
from core.store.sql import SqlStore
from core.types import BadInput

CANDIDATES = {"A": {"run": "k1", "title": "ERM"}, "B": {"run": "k2", "title": "Group DRO"}}
EVEN = dict.fromkeys(WEIGHTS, 5)


@pytest.fixture
def stores(home):
    """The same database opened twice, as two servers would."""
    opened = [SqlStore(home), SqlStore(home)]
    yield opened
    for store in opened:
        store.close()


@pytest.fixture
def two(stores):
    return [Reviews(store.engine) for store in stores]


@pytest.fixture
def session(stores, two):
    return two[0].create(stores[0].create_study(SPEC), "Which model?", CANDIDATES)


def test_what_one_writes_the_other_reads_and_it_outlives_a_restart(home, stores, two, session):
    ana = two[0].join(session.id, "  Ana   Müller ")
    two[0].put_mark(session.id, ana.key, "A", False, "misses women")
    two[0].put_weights(session.id, ana.key, EVEN | {"cost": 0})
    again = SqlStore(home)
    review = Reviews(again.engine).read(session.id)
    again.close()
    assert [p.name for p in review.people] == ["Ana Müller"] and review.people[0].key == ""
    mark = review.mark(ana.id, "A")
    assert (mark.acceptable, mark.reason, mark.version) == (False, "misses women", 1)
    assert review.weighing(ana.id).values["cost"] == 0 and review.mark(ana.id, "B") is None
    assert review == two[1].read(session.id) and two[1].of_study(session.study)[0].id == session.id
    assert two[1].person(session.id, ana.key) == ana and two[1].person(session.id, ana.id) is None


def test_of_many_writers_of_one_mark_exactly_one_wins_each_version(two, session):
    ana, gate = two[0].join(session.id, "Ana"), Barrier(8)

    def write(k):
        gate.wait()
        try:
            return two[k % 2].put_mark(session.id, ana.key, "A", True, f"writer {k}", seen=0)
        except Conflict as lost:
            return (lost.seen, lost.stands)

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(write, range(8)))
    assert sorted(map(str, told)) == sorted(map(str, [1] + [(0, 1)] * 7))
    assert two[0].read(session.id).marks[0].reason == f"writer {told.index(1)}"


def test_different_people_never_overwrite_each_other(two, session):
    names = [f"person {k}" for k in range(10)]

    def take_part(k):
        store = two[k % 2]
        me = store.join(session.id, names[k])
        for letter in CANDIDATES:
            store.put_mark(session.id, me.key, letter, k % 2 == 0, f"because {k}")
        store.put_weights(session.id, me.key, EVEN | {"accuracy": k})

    before = two[0].changes(session.id)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(take_part, range(10)))
    review = two[0].read(session.id)
    of = {p.id: int(p.name.split()[1]) for p in review.people}
    assert len(of) == 10 and len(review.marks) == 20
    assert all(m.reason == f"because {of[m.person]}" and m.acceptable == (of[m.person] % 2 == 0) for m in review.marks)
    assert all(w.values["accuracy"] == of[w.person] for w in review.weights) and len(review.weights) == 10
    assert two[1].changes(session.id) == before + 40


def test_of_two_people_with_one_name_one_is_told(two, session):
    gate = Barrier(2)

    def join(k):
        gate.wait()
        try:
            return two[k].join(session.id, ("Ana", "ANA ")[k]).name
        except BadInput as wrong:
            return str(wrong)

    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(join, range(2)))
    assert len(two[0].read(session.id).people) == 1 and sum("somebody here has" in t for t in told) == 1


def test_a_seen_version_can_be_changed_and_an_old_one_not(two, session):
    ana = two[0].join(session.id, "Ana")
    assert two[0].put_mark(session.id, ana.key, "A", True, "") == 1
    assert two[1].put_mark(session.id, ana.key, "A", False, "second thoughts", seen=1) == 2
    with pytest.raises(Conflict, match="version 2 where version 1"):
        two[0].put_mark(session.id, ana.key, "A", True, "", seen=1)
    assert two[0].put_weights(session.id, ana.key, EVEN) == 1
    with pytest.raises(Conflict):
        two[1].put_weights(session.id, ana.key, EVEN)


def test_a_locked_session_takes_no_marks_until_it_is_opened_again(two, session):
    ana = two[0].join(session.id, "Ana")
    assert two[1].set_locked(session.id, session.host, True, 0) == 1
    for call in (lambda: two[0].put_mark(session.id, ana.key, "A", True, ""), lambda: two[0].join(session.id, "Bo"),
                 lambda: two[0].put_weights(session.id, ana.key, EVEN)):
        with pytest.raises(BadInput, match="locked"):
            call()
    two[1].set_locked(session.id, session.host, False, 1)
    assert two[0].put_mark(session.id, ana.key, "A", True, "") == 1


def test_only_the_facilitator_locks_and_two_windows_of_one_do_not_overwrite(two, session):
    with pytest.raises(BadInput, match="Facilitator"):
        two[0].set_locked(session.id, "guess", True, 0)
    with pytest.raises(BadInput, match="Facilitator"):
        two[0].add_record(session.id, "", {}, 0)
    two[0].set_locked(session.id, session.host, True, 0)
    with pytest.raises(Conflict):
        two[1].set_locked(session.id, session.host, False, 0)


def test_records_lock_and_are_only_added(two, session):
    assert two[0].add_record(session.id, session.host, {"chosen": "A"}, 0) == 1
    two[1].add_record(session.id, session.host, {"chosen": "B"}, 1)
    review = two[0].read(session.id)
    assert [r["chosen"] for r in review.records] == ["A", "B"] and review.session.locked
    assert review.records[0]["at"] <= review.records[1]["at"]


def test_nothing_of_a_refused_write_is_kept(two, session):
    ana = two[0].join(session.id, "Ana")
    before = two[0].read(session.id)
    for call in (lambda: two[0].put_mark(session.id, ana.key, "Z", True, ""),
                 lambda: two[0].put_mark(session.id, ana.key, "A", False, "  "),
                 lambda: two[0].put_mark(session.id, "nobody", "A", True, ""),
                 lambda: two[0].put_weights(session.id, ana.key, {"accuracy": 5}),
                 lambda: two[0].put_weights(session.id, ana.key, EVEN | {"cost": 11}),
                 lambda: two[0].join(session.id, "x" * 61), lambda: two[0].join(session.id, "\ud800")):
        with pytest.raises(BadInput):
            call()
    assert two[0].read(session.id) == before


def test_what_is_not_there_is_told(stores, two, session):
    for call in (lambda: two[0].read("no"), lambda: two[0].changes("no"), lambda: two[0].join("no", "Ana"),
                 lambda: two[0].create("no", "t", CANDIDATES)):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(BadInput, match="Candidates"):
        two[0].create(session.study, "t", {})


def test_a_session_ends_with_its_study(stores, two, session):
    ana = two[0].join(session.id, "Ana")
    two[0].put_mark(session.id, ana.key, "A", True, "")
    stores[1].delete_study(session.study)
    with pytest.raises(NotFound):
        two[0].read(session.id)
    assert two[0].person(session.id, ana.key) is None
