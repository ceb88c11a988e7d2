"""The words that planted errors are made of: written for this bench and used by nothing else.

No check of the product reads them, so that a figure says how a check does on errors it was not
made from.
"""

from __future__ import annotations


def _pairs(lines: str) -> dict[str, tuple[str, ...]]:
    """Return each word of the pairs with the words that may stand for its opposite."""
    found: dict[str, tuple[str, ...]] = {}
    for pair in lines.split(";"):
        left, right = (side.strip() for side in pair.split("/"))
        found[left] = (*found.get(left, ()), right)
        found[right] = (*found.get(right, ()), left)
    return found


def _families(lines: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(one.split()) for one in lines.strip().splitlines())


# Whole words, as they stand in running text; none that is as often part of a set phrase.
ANTONYMS = _pairs("""
    won / lost; winning / losing; winner / loser; winners / losers; victory / loss;
    victories / losses; victorious / defeated; success / failure; successful / unsuccessful;
    successfully / unsuccessfully; succeeded / failed; rose / fell; rising / falling;
    rises / falls; increased / decreased; increases / decreases; increasing / decreasing;
    increase / decrease; grew / shrank; growing / shrinking; growth / decline; gained / forfeited;
    expanded / contracted; expansion / contraction; improved / worsened; improving / worsening;
    strengthened / weakened; stronger / weaker; strongest / weakest; strong / weak;
    oldest / youngest; older / younger; elder / younger; largest / smallest; larger / smaller;
    large / small; biggest / tiniest; bigger / littler; highest / lowest; higher / lower;
    longest / shortest; longer / shorter; tallest / lowest; taller / shorter; deepest / shallowest;
    fastest / slowest; faster / slower; fast / slow; quickly / slowly; rapidly / gradually;
    richest / poorest; rich / poor; wealthy / impoverished; best / worst; better / worse;
    good / bad; positive / negative; positively / negatively; favorable / unfavorable;
    popular / unpopular; popularity / obscurity; famous / obscure; famously / secretly;
    common / rare; commonly / rarely; frequently / seldom; often / rarely; always / never;
    usually / seldom; generally / exceptionally; mostly / hardly; widely / narrowly;
    major / minor; majority / minority; main / secondary; primary / secondary;
    primarily / marginally; important / insignificant; significant / negligible;
    significantly / negligibly; prominent / unknown; notable / forgettable;
    north / south; northern / southern; northeast / southwest; northwest / southeast;
    east / west; eastern / western; northernmost / southernmost; easternmost / westernmost;
    upper / lower; inner / outer; internal / external; interior / exterior; inside / outside;
    left / joined; leaving / joining; entered / exited; arrived / departed; arrival / departure;
    began / ended; begins / ends; beginning / ending; started / stopped; starts / stops;
    opened / closed; opening / closing; launched / discontinued; introduced / withdrew;
    established / abolished; founded / dissolved; created / destroyed; built / demolished;
    constructed / dismantled; alive / dead; living / deceased; survived / perished;
    married / divorced; marriage / divorce; husband / wife; father / mother; son / daughter;
    sons / daughters; brother / sister; brothers / sisters; uncle / aunt; nephew / niece;
    grandfather / grandmother; grandson / granddaughter; king / queen; prince / princess;
    actor / actress; male / female; men / women; man / woman; boy / girl; boys / girls;
    accepted / refused; approved / vetoed; agreed / disagreed; allowed / prohibited;
    permitted / banned; legal / illegal; lawful / unlawful; guilty / innocent;
    convicted / acquitted; arrested / freed; supported / opposed; supporter / opponent;
    supporters / opponents; supporting / opposing; ally / enemy; allies / enemies;
    friend / foe; friends / foes; attacked / defended; attack / defence; offensive / defensive;
    conquered / surrendered; captured / escaped; released / withheld; hired / fired;
    appointed / dismissed; promoted / demoted;
    promotion / relegation; elected / ousted; praised / criticized;
    praise / criticism; acclaimed / panned; acclaim / derision; loved / hated; loves / hates;
    liked / disliked; remembered / forgotten; included / excluded; includes / excludes;
    including / excluding; added / removed; bought / sold; purchased / sold; lent / borrowed;
    imported / exported; imports / exports; public / private; publicly / privately;
    national / foreign; domestic / foreign; local / foreign; urban / rural; military / civilian;
    professional / amateur; formal / informal; formally / informally; official / unofficial;
    officially / unofficially; permanent / temporary; permanently / temporarily;
    directly / indirectly; direct / indirect; complete / partial; completely / partially;
    fully / partly; together / separately; united / divided; same / different;
    similar / dissimilar; identical / distinct; early / late; earlier / later;
    earliest / latest; ancient / modern; old / new; oldest / newest; former / current;
    formerly / currently; previous / next; previously / subsequently; predecessor / successor;
    preceding / following; preceded / followed; temperate / tropical; hot / cold; warm / cool;
    wet / dry; heavy / light; thick / thin; wide / narrow; deep / shallow; bright / dark;
    black / white; full / empty; open / shut; active / inactive; voluntary / compulsory;
    optional / mandatory; able / unable; known / unknown; possible / impossible;
    happy / unhappy; easy / difficult; easily / hardly; simple / complex; safe / dangerous;
    true / false; correct / wrong; advantage / drawback; profit / deficit; teacher / pupil;
    employer / employee; landlord / tenant; buyer / seller; ancestor / descendant;
    parents / children; parent / child; amateur / expert; odd / even; maximum / minimum;
    indoor / outdoor; native / immigrant; liberal / conservative; rural / metropolitan;
    peace / war; peaceful / violent; urbanized / rural; employed / jobless""")

COUNTRIES = """
    Albania|Algeria|Argentina|Australia|Austria|Bangladesh|Belgium|Bolivia|Brazil|Bulgaria|
    Cambodia|Canada|Chile|China|Colombia|Croatia|Cuba|Denmark|Ecuador|Egypt|England|Estonia|
    Ethiopia|Finland|France|Germany|Ghana|Greece|Hungary|Iceland|India|Indonesia|Iran|Iraq|
    Ireland|Israel|Italy|Jamaica|Japan|Kenya|Latvia|Lebanon|Lithuania|Malaysia|Mexico|Mongolia|
    Morocco|Nepal|Netherlands|Nigeria|Norway|Pakistan|Panama|Peru|Philippines|Poland|Portugal|
    Romania|Russia|Scotland|Senegal|Serbia|Singapore|Slovakia|Slovenia|Spain|Sweden|Switzerland|
    Syria|Taiwan|Tanzania|Thailand|Tunisia|Turkey|Uganda|Ukraine|Uruguay|Venezuela|Vietnam|Wales"""
CITIES = """
    Amsterdam|Athens|Baltimore|Bangkok|Barcelona|Beijing|Berlin|Birmingham|Boston|Brussels|
    Budapest|Cairo|Chicago|Cincinnati|Cleveland|Copenhagen|Dallas|Delhi|Denver|Detroit|Dublin|
    Edinburgh|Florence|Glasgow|Hamburg|Helsinki|Houston|Istanbul|Karachi|Kolkata|Lahore|Leeds|
    Lisbon|Liverpool|London|Madrid|Manchester|Melbourne|Miami|Milan|Minneapolis|Montreal|Moscow|
    Mumbai|Munich|Nairobi|Naples|Oslo|Paris|Philadelphia|Phoenix|Pittsburgh|Prague|Rome|Seattle|
    Seoul|Shanghai|Stockholm|Sydney|Tokyo|Toronto|Vancouver|Venice|Vienna|Warsaw|Zurich"""
STATES = """
    Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Idaho|
    Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|
    Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|Ohio|Oklahoma|Oregon|Pennsylvania|
    Tennessee|Texas|Utah|Vermont|Virginia|Wisconsin|Wyoming|Ontario|Quebec|Alberta|Manitoba"""
NATIONALITIES = """
    American|Argentine|Australian|Austrian|Belgian|Brazilian|Bulgarian|Canadian|Chilean|
    Chinese|Croatian|Cuban|Czech|Danish|Dutch|Egyptian|English|Finnish|French|German|Greek|
    Hungarian|Indian|Indonesian|Iranian|Irish|Israeli|Italian|Japanese|Korean|Mexican|Norwegian|
    Pakistani|Polish|Portuguese|Romanian|Russian|Scottish|Serbian|Spanish|Swedish|Swiss|Turkish|
    Ukrainian|Welsh"""
PLACES = tuple(
    tuple(name.strip() for name in group.split("|"))
    for group in (COUNTRIES, CITIES, STATES, NATIONALITIES)
)

# Of one kind, and never true together of what a sentence says.
UNITS = _families("""
    kilometers miles yards
    kilometres miles yards
    km mi
    meters feet inches
    metres feet inches
    m ft
    kilometer mile
    pounds kilograms tonnes
    kg lb
    million billion
    millions billions
    thousand million
    minutes hours days
    minute hour
    weeks months years
    week month year
    acres hectares
    dollars euros pounds
    kHz MHz GHz
    watts kilowatts megawatts
    decades centuries
    decade century""")

PROFESSIONS = _families("""
    actor painter footballer economist
    actress novelist swimmer economist
    politician physicist violinist boxer
    footballer cyclist golfer swimmer
    singer sculptor botanist lawyer
    songwriter architect chemist sculptor
    writer dancer surgeon engineer
    poet general wrestler chemist
    novelist photographer biologist boxer
    lawyer composer astronomer sailor
    composer philosopher sprinter dentist
    painter cricketer journalist mathematician
    journalist choreographer geologist priest
    screenwriter cinematographer cellist surgeon
    comedian cardinal historian physicist
    musician mathematician judge explorer
    film novel opera
    album novel film
    song play painting
    band ballet newspaper
    river mountain desert
    lake canyon volcano
    village island desert
    town river peninsula
    university airport hospital
    school factory harbor
    church bridge theatre
    bridge castle lighthouse
    comedy tragedy documentary
    drama musical western
    thriller musical comedy
    novel opera sculpture
    guitar piano trumpet
    drums violin harp
    baseball hockey rugby
    football tennis volleyball
    basketball cricket curling
    species mineral planet
    company monastery orchestra""")

RELATIONS = _families("""
    directed edited financed
    produced translated reviewed
    written financed narrated
    wrote translated illustrated
    composed recorded banned
    starring excluding
    designed owned sold
    owned leased insured
    published censored pirated
    recorded mixed lost
    performed wrote boycotted
    painted bought stole
    invented copied marketed
    discovered photographed named
    defeated congratulated trained
    taught studied
    married sued adopted
    replaced assisted advised
    located founded manufactured
    played managed owned
    graduated resigned defected
    released shelved leaked""")

# What one may be said to be instead: who stood in another's place is another.
NUMBER_WORDS = tuple(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
)
ORDINALS = tuple("second third fourth fifth sixth seventh eighth ninth tenth".split())
MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)

# Present, past and participle of what people do to one another and to works.
VERBS = {
    past: (present, participle)
    for present, past, participle in (
        line.split()
        for line in """
direct directed directed
write wrote written
produce produced produced
found founded founded
design designed designed
compose composed composed
defeat defeated defeated
succeed succeeded succeeded
replace replaced replaced
kill killed killed
acquire acquired acquired
publish published published
release released released
record recorded recorded
create created created
develop developed developed
establish established established
appoint appointed appointed
marry married married
receive received received
win won won
play played played
serve served served
attend attended attended
study studied studied
become became become
move moved moved
begin began begun
join joined joined
leave left left
make made made
star starred starred
appear appeared appeared
work worked worked
lead led led
build built built
represent represented represented
sign signed signed
return returned returned
graduate graduated graduated
discover discovered discovered
invent invented invented
open opened opened
paint painted painted
conquer conquered conquered
""".strip().splitlines()
    )
}
# "A … B" where B in the place of A says something else; never what holds both ways.
ONE_WAY = (
    "directed by|written by|produced by|composed by|designed by|founded by|created by|owned by|"
    "published by|released by|defeated by|succeeded by|preceded by|replaced by|killed by|"
    "appointed by|acquired by|built by|developed by|discovered by|painted by|performed by|"
    "recorded by|influenced by|named after|named for|based on|son of|daughter of|father of|"
    "mother of|grandson of|nephew of|uncle of|capital of|part of|suburb of|tributary of|"
    "subsidiary of|member of|president of|student of|pupil of|leader of|author of|founder of|"
    "director of|located in|situated in|adapted from|defeated|succeeded|replaced|killed|directed|"
    "wrote|founded|acquired|conquered|appointed|invaded|portrays|plays|played|married off|beat|"
    "taught|hired|signed|bought|sold to|given to|north of|south of|east of|west of|moved to|"
    "traded to|older than|younger than|larger than|smaller than|ceded to|lost to|reports to"
).split("|")

# What makes a statement less sure, and what is left of it without.
HEDGES = (
    (" is believed to be ", " is "), (" was believed to be ", " was "),
    (" are believed to be ", " are "), (" is thought to be ", " is "),
    (" was thought to be ", " was "), (" is said to be ", " is "), (" was said to be ", " was "),
    (" is considered to be ", " is "), (" may have been ", " was "), (" may be ", " is "),
    (" might be ", " is "), (" could be ", " had to be "), (" may have ", " has "),
    (" is expected to ", " will "), (" is scheduled to be ", " was "), (" can be ", " must be "),
    (" may ", " must "), (" can ", " must "), (" could ", " had to "), (" might ", " must "),
    (" probably ", " "), (" possibly ", " "), (" perhaps ", " "), (" reportedly ", " "),
    (" allegedly ", " "), (" supposedly ", " "), (" presumably ", " "), (" apparently ", " "),
    (" attempted to ", " refused to "), (" tried to ", " declined to "),
    (" planned to ", " refused to "), (" seems to be ", " is "), (" appears to be ", " is "),
    (" was considered the ", " was the "), (" nearly ", " "), (" almost ", " "),
)  # fmt: skip
QUANTIFIERS = (
    (" more than ", " less than "), (" less than ", " more than "),
    (" at least ", " at most "), (" at most ", " at least "), (" up to ", " at least "),
    (" most of the ", " few of the "), (" many of the ", " none of the "),
    (" some of the ", " all of the "), (" all of the ", " some of the "),
    (" many ", " few "), (" several ", " no "), (" few ", " many "),
    (" some ", " all "), (" all ", " some "), (" every ", " hardly any "), (" each ", " no "),
    (" both ", " neither "), (" only ", " not only "), (" none of ", " all of "),
    (" half of ", " all of "), (" various ", " no "), (" numerous ", " few "),
)  # fmt: skip
ORDERS = (
    (" before ", " after "), (" after ", " before "), (" until ", " since "),
    (" since ", " until "), (" during ", " before "), (" prior to ", " following "),
    (" following ", " prior to "), (" above ", " below "), (" below ", " above "),
    (" inside ", " outside "), (" with ", " without "), (" without ", " with "),
    (" because of ", " despite "), (" despite ", " because of "), (" against ", " for "),
    (" from ", " to "), (" under ", " over "),
)  # fmt: skip
# What a claim rests on: with it left out, the text says it as a fact.
CLAIMED = (
    "claimed|alleged|denied|doubted|speculated|predicted|feared|hoped|suspected|rumored|rumoured|"
    "disputed|falsely reported|falsely claimed"
)
