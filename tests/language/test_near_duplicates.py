"""Passages that two texts share are found, also when reworked; chance likeness is not."""

import random

import pytest

from scorer_service.language.near_duplicates import Shingles


def words(seed: int, count: int) -> list[str]:
    drawn = random.Random(seed)
    return [f"w{drawn.randrange(100_000)}" for _ in range(count)]


def passages(text: str, other: str) -> list[str]:
    return [text[start:end] for start, end in Shingles([other], tested=[text]).shared_passages(text)]


def test_a_run_of_words_is_found_whatever_its_case_and_punctuation() -> None:
    run = words(1, 13)
    other = " ".join([*words(2, 50), *run, *words(3, 50)])
    shown = ", ".join(run).upper()

    assert passages(f"{' '.join(words(4, 30))} {shown}. {' '.join(words(5, 30))}", other) == [shown]


def test_a_shorter_run_is_not() -> None:
    run = words(1, 12)

    assert passages(" ".join([*words(4, 60), *run, *words(5, 60)]), " ".join([*words(2, 9), *run])) == []


def test_a_passage_is_found_though_every_twelfth_word_was_changed() -> None:
    passage = words(1, 40)
    reworked = [f"new{index}" if index % 12 == 5 else word for index, word in enumerate(passage)]
    text = " ".join([*words(4, 60), *reworked, *words(5, 60)])

    found = passages(text, " ".join(passage))

    assert len(found) == 1
    assert " ".join(reworked) in found[0]


def test_set_phrases_here_and_there_are_not() -> None:
    phrases = [" ".join(words(seed, 9)) for seed in range(20)]
    text = " ".join(f"{phrase} {' '.join(words(100 + seed, 15))}" for seed, phrase in enumerate(phrases))

    assert passages(text, " . ".join(reversed(phrases))) == []


def test_a_passage_at_the_very_end_is_found() -> None:
    run = " ".join(words(1, 13))

    assert passages(f"{' '.join(words(4, 60))} {run}", run) == [run]


@pytest.mark.parametrize("text", ["", "a few words", "..."])
def test_texts_shorter_than_a_passage_share_nothing(text: str) -> None:
    assert passages(text, " ".join(words(1, 100))) == []
