"""Korean surnames of one syllable."""

from __future__ import annotations

# Those that few other words begin with: enough before two more syllables and a title or particle.
SURE = "김이박최정강조윤장임한오서신권황안송류유홍문양손배백허남심하곽차우구민진나엄채함변염추"
# With those that begin many other words too, for where a title follows; 나 is also "I" there.
TITLED = frozenset(
    SURE.replace("나", "")
    + "전고노성주지원천방공현여도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)
