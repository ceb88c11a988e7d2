"""Every cue has a text that it reads and one that it does not."""

from __future__ import annotations

import pytest

from weft.offline.question.cues import LANGUAGES, cues

# By role: a noun that asks for it, a text that says who fills it, and one that does not.
ROLES = {
    "en": {
        "director": ("director", "Red Tide was directed by Ann Oak.", "Ann Oak saw Red Tide."),
        "producer": ("film producer", "It was produced by Cy Fir.", "Cy Fir saw it."),
        "screenwriter": ("screenwriter", "a screenplay by Di Ash", "a walk with Di Ash"),
        "author": ("author", "a novel by Di Ash", "a walk with Di Ash"),
        "composer": ("composer", "It was composed by Ed Yew.", "Ed Yew heard it."),
        "performer": ("singer", "It was sung by Flo Bay.", "Flo Bay heard it."),
        "creator": ("inventor", "The lamp was invented by Bo Elm.", "Bo Elm lit the lamp."),
        "editor": ("editor", "It was edited by Bo Elm.", "Bo Elm read it."),
        "founder": ("founder", "The yard was founded by Bo Elm.", "Bo Elm left the yard."),
        "owner": ("owner", "The yard is owned by Coast.", "Coast left the yard."),
        "publisher": ("publisher", "It was published by Coast.", "Coast read it."),
        "manufacturer": ("maker", "The bolts are made by Coast.", "Coast lost the bolts."),
        "employer": ("employer", "Bo Elm works for Coast.", "Bo Elm left Coast."),
        "successor": ("successor", "He was succeeded by Bo Elm.", "He met Bo Elm."),
        "predecessor": ("predecessor", "She was preceded by Bo Elm.", "She met Bo Elm."),
        "manager": ("manager", "Coast is led by Ann Oak.", "Coast met Ann Oak."),
        "president": ("mayor", "The mayor is Ann Oak.", "The baker is Ann Oak."),
        "maintainer": ("maintainer", "It is maintained by Bo Elm.", "It was seen by Bo Elm."),
        "father": ("father", "the son of Ed Yew", "a friend of Ed Yew"),
        "mother": ("mother", "the daughter of Di Ash", "a friend of Di Ash"),
        "spouse": ("spouse", "She married Bo Elm.", "She met Bo Elm."),
        "husband": ("husband", "She married Bo Elm.", "She met Bo Elm."),
        "wife": ("wife", "He married Ann Oak.", "He met Ann Oak."),
        "child": ("child", "the father of Bo Elm", "a friend of Bo Elm"),
        "son": ("son", "the father of Bo Elm", "a friend of Bo Elm"),
        "daughter": ("daughter", "the mother of Ann Oak", "a friend of Ann Oak"),
        "sibling": ("sibling", "the sister of Ann Oak", "a friend of Ann Oak"),
        "brother": ("brother", "the brother of Bo Elm", "a friend of Bo Elm"),
        "sister": ("sister", "the sister of Bo Elm", "a friend of Bo Elm"),
        "birthplace": ("birthplace", "He was born in Aarhus.", "He spoke of Aarhus."),
        "deathplace": ("place of death", "He died in Bergen.", "He spoke of Bergen."),
        "location": ("city", "The mill is located in Bergen.", "The mill supplies Bergen."),
    },
    "ko": {
        "director": ("감독", "감독 김하나", "배우 김하나"),
        "author": ("저자", "저자 김하나", "독자 김하나"),
        "composer": ("작곡가", "작곡 김하나", "배우 김하나"),
        "performer": ("가수", "가수 김하나", "독자 김하나"),
        "founder": ("설립자", "설립자 김하나", "독자 김하나"),
        "owner": ("소유자", "소유자 김하나", "독자 김하나"),
        "manager": ("팀장", "팀장 김하나", "독자 김하나"),
        "maintainer": ("담당자", "담당자 김하나", "독자 김하나"),
        "employer": ("소속", "소속 등대", "근처 등대"),
        "successor": ("후임자", "후임 김하나", "독자 김하나"),
        "predecessor": ("전임자", "전임 김하나", "독자 김하나"),
        "publisher": ("출판사", "출판사 등대", "근처 등대"),
        "creator": ("개발자", "개발 김하나", "독자 김하나"),
        "president": ("시장", "시장 김하나", "독자 김하나"),
        "father": ("아버지", "아버지 김하나", "친구 김하나"),
        "mother": ("어머니", "어머니 김하나", "친구 김하나"),
        "spouse": ("배우자", "아내 김하나", "친구 김하나"),
        "child": ("자녀", "아들 김하나", "친구 김하나"),
        "sibling": ("동생", "동생 김하나", "친구 김하나"),
        "location": ("위치", "위치 부산", "이름 부산"),
    },
}
# By relation: what asks for it and what does not, what says it and what does not.
RELATIONS = {
    "en": {
        "birth_place": ("Where was she born?", "Where is she?", "born in Aarhus", "seen in Aarhus"),
        "death_place": ("Where did he die?", "Where is he?", "He died in Bergen.", "in Bergen"),
        "burial": ("Where is she buried?", "Where is she?", "buried there", "seen there"),
        "birth_date": ("When was she born?", "When did she sing?", "born 1911", "sang then"),
        "death_date": ("When did he die?", "When did he sing?", "He died then.", "He sang."),
        "death_cause": ("What did he die of?", "What did he sing?", "died of fever", "sang"),
        "education": ("Where did she study?", "Where is she?", "She studied law.", "She sang."),
        "work": ("Where does she work?", "Where is she?", "She works at Coast.", "She sang."),
        "nationality": ("What is her nationality?", "What is her age?", "", ""),
        "superior": ("Who does she report to?", "Who is she?", "reports_to: Bo", "knows: Bo"),
        "award": ("Which award has she?", "Which boat has she?", "an award", "a boat"),
        "occupation": (
            "What is her occupation?",
            "What is her age?",
            "She is a poet.",
            "She sang.",
        ),
        "start_of_work": ("When did she join?", "When did she sing?", "She joined.", "She sang."),
        "inception": ("When was it founded?", "When was it seen?", "founded", "seen"),
        "release": ("When was it released?", "When was it seen?", "released", "seen"),
        "end": ("When did it end?", "When was it seen?", "It ended.", "It was seen."),
        "population": ("What is its population?", "What is its name?", "population 9", "name"),
        "area": ("What is the area of it?", "What is it?", "an area of 9", "a name"),
        "length": ("How long is it?", "How is it?", "9 metres", "a name"),
        "capital": ("What is its capital?", "What is its name?", "the capital", "the name"),
        "code": ("In what programming language is it?", "What is it?", "in Kotlin", "in clay"),
        "language": ("Which language is it?", "Which boat is it?", "spoken", "seen"),
        "genre": ("What genre is it?", "What is it?", "the genre", "the name"),
        "residence": ("Where does she live?", "Where is it?", "She lives there.", "She sang."),
        "headquarters": ("Where is it based?", "Where is it?", "based there", "seen there"),
        "located": ("Where is it located?", "Where is it?", "It lies there.", "She sang."),
    },
    "ko": {
        "code": ("어떤 언어로 썼나요?", "누가 썼나요?", "코틀린으로", "종이로"),
        "birth_place": ("태어난 곳은?", "이름은?", "부산 출생", "부산 여행"),
        "birth_date": ("생일은 언제인가요?", "이름은?", "1911년생", "1911년"),
        "death_date": ("언제 사망했나요?", "이름은?", "사망", "여행"),
        "education": ("어느 대학을 나왔나요?", "이름은?", "대학 졸업", "여행"),
        "nationality": ("국적은?", "이름은?", "부산 출신", "부산"),
        "inception": ("언제 설립되었나요?", "이름은?", "설립", "여행"),
        "release": ("언제 출시했나요?", "이름은?", "출시", "여행"),
        "award": ("무슨 상을 받았나요?", "이름은?", "수상", "여행"),
        "occupation": ("직업은?", "이름은?", "직업", "여행"),
        "population": ("인구는?", "이름은?", "인구", "여행"),
        "residence": ("어디에 사는가요?", "이름은?", "거주", "여행"),
        "work": ("어디에서 근무하나요?", "이름은?", "근무", "여행"),
        "headquarters": ("본사는?", "이름은?", "본사", "여행"),
    },
}
# In the order of the table: what compares so, and what does not.
COMPARES = {
    "en": [
        ("Who lived longer, A or B?", "Who sang, A or B?"),
        ("Who died first, A or B?", "Who sang first, A or B?"),
        ("Who died later, A or B?", "Who sang later, A or B?"),
        ("Who is older, A or B?", "Who is taller, A or B?"),
        ("Who is younger, A or B?", "Who is taller, A or B?"),
        ("Which was founded earlier, A or B?", "Which was seen, A or B?"),
        ("Which was released later, A or B?", "Which was seen, A or B?"),
        ("Which is larger, A or B?", "Which is green, A or B?"),
        ("Which is smaller, A or B?", "Which is green, A or B?"),
    ],
    "ko": [
        ("누가 먼저 태어났나요?", "누가 노래했나요?"),
        ("누가 나중에 태어났나요?", "누가 노래했나요?"),
        ("누가 먼저 사망했나요?", "누가 노래했나요?"),
        ("누가 나중에 사망했나요?", "누가 노래했나요?"),
        ("누가 오래 살았나요?", "누가 노래했나요?"),
        ("어느 것이 먼저인가요?", "어느 것이 푸른가요?"),
        ("어느 것이 최신인가요?", "어느 것이 푸른가요?"),
        ("어느 것이 더 큰가요?", "어느 것이 푸른가요?"),
        ("어느 것이 더 작은가요?", "어느 것이 푸른가요?"),
    ],
}
SAMES = {
    "en": [
        ("Are A and B of the same nationality?", "Are A and B painters?"),
        ("Were A and B founded in the same year?", "Are A and B painters?"),
        ("Are A and B in the same city?", "Are A and B painters?"),
    ],
    "ko": [
        ("같은 나라 사람인가요?", "화가인가요?"),
        ("같은 해에 열렸나요?", "화가인가요?"),
        ("같은 도시에 있나요?", "화가인가요?"),
    ],
}
EACH_ROLE = [(language, name) for language in LANGUAGES for name in ROLES[language]]
EACH_RELATION = [(language, name) for language in LANGUAGES for name in RELATIONS[language]]


def test_every_cue_has_its_examples() -> None:
    for language in LANGUAGES:
        table = cues(language)
        assert set(table.roles) == set(ROLES[language])
        assert [one.name for one in table.relations] == list(RELATIONS[language])
        assert len(table.measures) == len(COMPARES[language])
        assert len(table.sames) == len(SAMES[language])


@pytest.mark.parametrize(("language", "name"), EACH_ROLE)
def test_a_role_is_asked_for_by_its_noun_and_said_by_its_cue(language: str, name: str) -> None:
    noun, says, says_not = ROLES[language][name]
    table = cues(language)
    assert table.chain(noun) == (name,)
    assert table.roles[name].cue.search(says)
    assert not table.roles[name].cue.search(says_not)


@pytest.mark.parametrize(("language", "name"), EACH_RELATION)
def test_a_relation_is_asked_for_and_said(language: str, name: str) -> None:
    asks, asks_not, says, says_not = RELATIONS[language][name]
    relation = next(one for one in cues(language).relations if one.name == name)
    assert relation.asks.search(asks)
    assert not relation.asks.search(asks_not)
    assert (relation.cue is None) == (not says)
    assert relation.cue is None or relation.cue.search(says)
    assert relation.cue is None or not relation.cue.search(says_not)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_compares_is_told_from_what_does_not(language: str) -> None:
    table = cues(language)
    for measures, examples in ((table.measures, COMPARES), (table.sames, SAMES)):
        for measure, (compares, plain) in zip(measures, examples[language], strict=True):
            assert measure.asks.search(compares), compares
            assert not measure.asks.search(plain), plain


@pytest.mark.parametrize(
    ("said", "is_said"),
    [("released in 2020 by Coast", True), ("released on Coast", True), ("seen by Coast", False)],
)
def test_what_was_released_names_its_publisher(said: str, is_said: bool) -> None:
    assert bool(cues("en").roles["publisher"].cue.search(said)) is is_said
