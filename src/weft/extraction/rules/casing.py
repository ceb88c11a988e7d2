"""Which words a document itself uses as common words, whatever their capital."""

from __future__ import annotations

import re
from collections import Counter

from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES
from weft.language.numerals import UNITS

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_CAPITAL = re.compile(rf"(?<!\w)(?<!\w['-])[^\W\d_a-z{SYLLABLES}][^\W\d_]*(?:['-][^\W\d_]+)*")
_INITIAL_AFTER = frozenset('.!?:;\n•*#>|-–—"“”‘(')
_VERBAL = ("ing", "ly", "ed")

# Words that begin sentences far more often than names; pronouns and the like come with them.
# Without those of software's papers, a fortieth of the names in such papers would be "Copyright".
_STARTERS = """
    a about above according across actually additionally after afterwards again against ago all
    almost along alongside already also alternatively although always am amid among amongst an
    and another any anyone anything apart are around as aside at author available away back
    basically be because become before behind being below beneath beside besides best better
    between beyond big both briefly but by call can cannot certain chapter check choose clearly
    click close come common compared consequently consider contrary could create current
    currently day days dear default define depending describe despite did different do does
    don't done down due during each earlier early either else elsewhere ensure entire especially
    even eventually ever every everyone everything example except exactly false few figure final
    finally find first firstly following for former formerly fortunately found free frequently
    from full fully further furthermore generally get give given go good great had half hardly
    has have having he hello help hence her here hers herself high him himself his historically
    hopefully how however i idea if important in include including indeed inside install instead
    into is it its itself just keep key know known large largely last late later latest lately
    least left less let like likely list little local long look low made mainly major make many
    may maybe me meanwhile might mine minor more moreover most mostly much must my myself name
    namely near nearly need neither never nevertheless new next no nobody none nonetheless nor
    not note nothing notably now nowadays number numerous occasionally of off often old on once
    only onto open optional or originally other others otherwise our ours out outside over
    overall own page part particularly per perhaps please plus possible possibly prerequisites
    presently previous previously prior probably provided question quite rather read really
    recent recently regarding related remember requires required respectively right run same
    second secondly section see seen seldom select several shall she should show similar
    similarly simple simply since small so some somebody someone something sometimes somewhat
    soon special specifically start step still stop strictly strongly subsequently such summary
    sure table take thank thanks that the their theirs them themselves then there thereafter
    therefore these they thing things third this those though through throughout thus time to
    today together too top total toward towards true try turn type typically under unfortunately
    unless unlike until up upon us usage use used user using usually value various versus very
    via want warning was we well were what whatever when whenever where whereas wherever whether
    which while who whoever whole whom whose why wide will with within without would write yes
    yet you your yours yourself main appendix contents overview introduction conclusion abstract
    background notes references todo yesterday tomorrow critics fans people men women children
    students members scientists researchers others officials residents years months weeks hours
    minutes twelve twenty hundred thousand million license licence copyright author authors home
    description features installation documentation changelog changes release releases fixed
    added removed changed deprecated security bug bugs fix improved updated support supported
    """.split()
STARTERS = frozenset({*_STARTERS, *UNITS[1:11]})


@dataclass(frozen=True, slots=True, kw_only=True)
class Casing:
    """How often a document writes each word in lower case and, within a sentence, as a name."""

    lower: Counter[str]
    upper: Counter[str]

    def is_common(self, word: str) -> bool:
        """Tell whether a capital at the beginning of a sentence says nothing about the word."""
        folded = word.casefold().replace("’", "'")
        if folded in STARTERS:
            return True
        low, high = self.lower[folded], self.upper[folded]
        if low or high:
            return low > high
        singular = folded.removesuffix("s")
        if self.lower[singular] or self.lower[folded + "s"]:
            return True
        return len(folded) > 5 and folded.endswith(_VERBAL) and not high

    def is_ordinary(self, word: str) -> bool:
        """Tell whether the document also writes a word in lower case, or it is a stop word."""
        folded = word.casefold()
        return folded in STARTERS or self.lower[folded] > 0


def casing(text: str) -> Casing:
    """Count the words of one document; nothing here depends on any other."""
    words = text.replace("’", "'")
    lower = Counter(word for word in _WORD.findall(words) if word[0].islower())
    upper = Counter(
        match[0].casefold()
        for match in _CAPITAL.finditer(words)
        if not match[0][0].islower() and not _is_initial(words, match.start())
    )
    return Casing(lower=lower, upper=upper)


def _is_initial(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" \t")
    return not before or before[-1] in _INITIAL_AFTER
