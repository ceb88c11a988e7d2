"""How people ask for rows of a table: several ways for each kind of question, in two languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from flow.table_worlds import Kind

_ENGLISH: Mapping[str, tuple[str, ...]] = {
    "lookup": (
        "What is the {column} of {name}?",
        "Which {column} does {name} have?",
        "{column} of {name}?",
        "Tell me the {column} of {name}.",
    ),
    "count": (
        "How many {things} {condition} are there?",
        "What is the number of {things} {condition}?",
        "Count the {things} {condition}.",
    ),
    "sum": (
        "What is the total {column} of the {things} {condition}?",
        "What do the {column} values of all {things} {condition} add up to?",
        "Add up the {column} of the {things} {condition}.",
    ),
    "average": (
        "What is the average {column} of the {things} {condition}?",
        "What {column} do the {things} {condition} have on average?",
        "Mean {column} of the {things} {condition}?",
    ),
    "max": (
        "What is the highest {column} of the {things} {condition}?",
        "How high is the largest {column} of the {things} {condition}?",
    ),
    "min": (
        "What is the lowest {column} of the {things} {condition}?",
        "How low is the smallest {column} of the {things} {condition}?",
    ),
    "largest": (
        "Which {thing} has the highest {column}?",
        "What is the {thing} with the largest {column}?",
        "Name the {thing} with the greatest {column}.",
    ),
    "smallest": (
        "Which {thing} has the lowest {column}?",
        "What is the {thing} with the smallest {column}?",
    ),
    "top largest": (
        "Which {count} {things} have the highest {column}?",
        "What are the top {count} {things} by {column}?",
        "List the {count} {things} with the largest {column}.",
    ),
    "top smallest": (
        "Which {count} {things} have the lowest {column}?",
        "List the {count} {things} with the smallest {column}.",
    ),
    "group count": (
        "How many {things} are there per {by}?",
        "Count the {things} by {by}.",
        "What is the number of {things} for each {by}?",
    ),
    "group average": (
        "What is the average {column} of {things} per {by}?",
        "What is the mean {column} of the {things} for each {by}?",
    ),
    "largest group": (
        "Which {by} has the highest total {column} of {things}?",
        "For which {by} is the sum of the {column} of {things} the largest?",
    ),
    "list": (
        "Which are the {things} {condition}?",
        "List the {things} {condition}.",
        "Show me all {things} {condition}.",
    ),
}
_KOREAN: Mapping[str, tuple[str, ...]] = {
    "lookup": (
        "{name}의 {column}(은/는) 무엇인가요?",
        "{name}의 {column}(을/를) 알려 주세요.",
        "{name} {column}?",
    ),
    "count": (
        "{condition} {things}(은/는) 몇 {counter}인가요?",
        "{condition} {things}(이/가) 몇 {counter} 있나요?",
        "{condition} {things}의 수는 얼마인가요?",
    ),
    "sum": (
        "{condition} {things}의 {column} 합계는 얼마인가요?",
        "{condition} {things}의 {column}(을/를) 모두 더하면 얼마인가요?",
        "{condition} {things}의 총 {column}(은/는)?",
    ),
    "average": (
        "{condition} {things}의 평균 {column}(은/는) 얼마인가요?",
        "{condition} {things}의 {column} 평균을 알려 주세요.",
    ),
    "max": (
        "{condition} {things}의 최대 {column}(은/는) 얼마인가요?",
        "{condition} {things} 중 가장 큰 {column}(은/는) 얼마인가요?",
    ),
    "min": (
        "{condition} {things}의 최소 {column}(은/는) 얼마인가요?",
        "{condition} {things} 중 가장 작은 {column}(은/는) 얼마인가요?",
    ),
    "largest": (
        "{column}(이/가) 가장 큰 {thing}(은/는) 무엇인가요?",
        "어느 {thing}의 {column}(이/가) 가장 높은가요?",
    ),
    "smallest": (
        "{column}(이/가) 가장 작은 {thing}(은/는) 무엇인가요?",
        "어느 {thing}의 {column}(이/가) 가장 낮은가요?",
    ),
    "top largest": (
        "{column}(이/가) 가장 큰 {thing} {count}{counter}(은/는) 무엇인가요?",
        "{column} 상위 {count}{counter}의 {thing}(을/를) 알려 주세요.",
    ),
    "top smallest": (
        "{column}(이/가) 가장 작은 {thing} {count}{counter}(은/는) 무엇인가요?",
        "{column} 하위 {count}{counter}의 {thing}(을/를) 알려 주세요.",
    ),
    "group count": (
        "{by}별 {things} 수는 얼마인가요?",
        "{by}별로 {things}(이/가) 몇 {counter}인가요?",
    ),
    "group average": (
        "{by}별 {things}의 평균 {column}(은/는) 얼마인가요?",
        "{by}별로 {things}의 {column} 평균을 알려 주세요.",
    ),
    "largest group": (
        "{things}의 {column} 합계가 가장 큰 {by}(은/는) 무엇인가요?",
        "어느 {by}의 {things} {column} 합계가 가장 큰가요?",
    ),
    "list": (
        "{condition} {things}(을/를) 모두 알려 주세요.",
        "{condition} {things}(은/는) 무엇인가요?",
    ),
}
_PARTICLE = re.compile(r"(\S)\((\w)/(\w)\)")
_CODAS = 28
# Digits that end with a consonant when they are read in Korean, and letters that do.
_CLOSED = set("013678LMNRlmnr")


def told(random: Random, kind: Kind, asked: str, values: Mapping[str, str]) -> str:
    """Return a question in one of its wordings."""
    wordings = _ENGLISH if kind.language == "en" else _KOREAN
    named = {"thing": kind.thing, "things": kind.things, "counter": kind.counter}
    said = random.choice(wordings[asked]).format(**named, **values)
    said = said[0].upper() + said[1:]
    return _PARTICLE.sub(_fitting, said)


def _fitting(found: re.Match[str]) -> str:
    """Return a word's last letter with the particle that fits its sound."""
    last, closed, opened = found.groups()
    is_hangul = "가" <= last <= "힣"
    is_closed = (ord(last) - ord("가")) % _CODAS if is_hangul else last in _CLOSED
    return last + (closed if is_closed else opened)
