from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.jobs.owner import Owner

ROOT = Path(__file__).resolve().parents[3]


def test_an_owner_works_until_it_is_released(home):
    one, two = Owner(home), Owner(home)
    assert one.works(one.token) and two.works(one.token) and one.works(two.token)
    one.release()
    assert not two.works(one.token) and not one.works(one.token)
    two.release()
    assert list((home / "owners").iterdir()) == []


@pytest.mark.parametrize("token", ["", "nobody", "../../etc/passwd", "0" * 16])
def test_unknown_tokens_work_on_nothing(home, token):
    owner = Owner(home)
    assert not owner.works(token)
    owner.release()


def test_a_killed_program_works_on_nothing(home):
    program = ("import sys; from pathlib import Path; from core.jobs.owner import Owner;"
               "owner = Owner(Path(sys.argv[1])); print(owner.token, flush=True); sys.stdin.read()")
    other = subprocess.Popen([sys.executable, "-c", program, str(home)], cwd=ROOT, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    token = other.stdout.readline().strip()
    mine = Owner(home)
    assert mine.works(token)
    other.kill()
    other.communicate()
    assert not mine.works(token)
    mine.release()
    assert list((home / "owners").iterdir()) == []
