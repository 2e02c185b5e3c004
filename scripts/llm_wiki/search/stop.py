"""Words that say nothing about what is asked: articles, prepositions, forms of asking."""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about above after again against all also am an and any are aren as at be because been before being
    below between both but by can cannot could couldn d did didn do does doesn doing don done down during
    each either else ever every few for from further get gets give given gives go goes had hadn has hasn
    have haven having he her here hers herself him himself his how however i if in into is isn it its itself
    just know let ll m many may me might more most much must mustn my myself need needs no nor not of off on
    once one only onto or other our ours ourselves out over own per please re s same say says shall shan she
    should shouldn so some such t tell than that the their theirs them themselves then there these they
    thing things this those through to too under until up upon us use used uses using very want wants was
    wasn way we well were weren what when where whether which while who whom whose why will with within
    without won would wouldn ve yet you your yours yourself yourselves explain describe find show mean means
    meant make makes made happen happens something anything someone anyone everything really
    """.split()  # noqa: SIM905 - a list of hundreds is read better as text
)

GERMAN = frozenset(
    """
    aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist
    da damit dann das dass dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses
    doch dort du durch ein eine einem einen einer eines er es etwa etwas euch euer fur für gegen gibt hab
    habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins
    ist jede jedem jeden jeder jedes jener jenes jetzt kann kannst kein keine keinem keinen keiner konnen
    konnte können machen macht man manche mein meine mich mir mit mochte muss mussen müssen nach nicht nichts
    noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind so solche soll sollen
    sollte solltest sondern sonst uber um und uns unser unter viel vom von vor wahrend war waren warst was
    wann warum weg weil weiter welche welchem welchen welcher welches wem wen wenn wer werde werden wie
    wieder wieso weshalb will wir wird wirst wo wofur wohin womit wollen worden wurde wurden wozu zu zum zur
    zwar zwischen über während wofür würde bedeutet heisst funktioniert passiert geht lasst bitte erklare
    """.split()  # noqa: SIM905 - a list of hundreds is read better as text
)

STOP = ENGLISH | GERMAN

SOFT = frozenset(
    """
    according actual actually add added advice affect answer apply approach ask asked aspect available avoid
    away bad basic become begin believe best better big bit call called care case cases cause certain change
    choose clear come comes common compare concern consider contain content correct course current deal decide
    depend detail determine different difference difficult discuss discussed discussion do easy effect enough
    ever exact exactly example exist expect fact feature find first follow full general good great handle hard
    help helpful high hold idea ideal important include information instead involve issue keep kind kinds know
    known large last learn least leave less level like list little live long look lot low main manage matter
    maximum method minimum move mostly name new note notes number often old option order others own page
    pages part parts people person place point possible practice prefer problem proper provide purpose put
    question read reason
    recommend recommended relate related require result right role rule run seem sense set short simple single
    size someone sort special specific start state step stop sure take talk task tell term thing think time
    topic true try turn type types typical typically understand usual usually value various ways wiki wikis
    whole word work works working worth write written wrong year
    anders arbeit art beachten beispiel bekommen besser beste bleibt bringt dabei dafur daran darauf darf
    denken deren einfach erst erste etwas fall frage ganz ganze genau genug grund gut gute halten hilft
    immer kommt konkret lang lange lassen leicht liegt mehr meist moglich neu neue nutzen oft passieren
    problem richtig sagen sagt schlecht schnell schon seite seiten sieht sinn sinnvoll sogar stehen steht
    stelle tun unterschied viele vorher wichtig wirklich wissen zeigt ziel
    """.split()  # noqa: SIM905 - as above
)
"""Words of every subject: they are looked for, and their absence says little."""

ASKING = (
    "什么是", "是什么", "什么时候", "为什么", "怎么样", "什么", "怎样", "怎么", "如何", "为何", "哪些",
    "哪个", "哪里", "多少", "多久", "多长", "多大",
    "是否", "可以", "应该", "请问", "吗", "呢",
    "とは何ですか", "とは何", "とは", "何ですか", "ですか", "ますか", "どのように", "どうやって", "なぜ",
    "무엇입니까", "무엇인가요", "무엇", "어떻게", "왜", "입니까", "인가요",
)  # fmt: skip
"""Forms of asking in scripts without blanks; they are cut out of a query, longest first."""

FILLERS = frozenset(
    "的了在和与是有对把被让从到就都而及其或也不会时中上下个这那一个のをにはがでとへもや은는이가을를의에도"
)
"""Characters that mostly join words: a pair that holds one tells little."""
