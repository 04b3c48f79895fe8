from __future__ import annotations

from pages._ui.audit_sections import QUESTIONS, SHORT


def test_every_question_is_asked_once_and_has_a_short_name_for_the_link():
    assert len(set(SHORT.values())) == len(QUESTIONS)
    assert all(words.endswith("?") for words in [*QUESTIONS.values()][:-1])
