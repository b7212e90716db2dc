"""Ordinary words one slip away from a number, a day or a coin: never taken for a misspelt one."""

_ENGLISH = """
    afternoons augusta auguste augusto avril beginnings billions bullion christian christians coupe coupled coupler
    couples dad's dads dams dan's dans dozens eighties eights elements eros evenings fave fide fife fifths file
    filth fine fire firsts firth fist fives flour footy foray foresight forte forth forthright fortnightly forts
    fours fourths frida fridays hallowed horus hundredth jane jude judy juke jury jute juve lasts least lest list
    lost lust mach marco marcy marsh match merch midway millionth missions moaning mondays monte monty mornings moth
    moths mourning mouth mouths neat neon nest newt nice nights nike nile nines nineties nite none noone noun paso
    peace penne penney pero pesto pests ponce pond ponds quarrels quartered quarterly quartet saturdays seen sevens
    seventies sever severn sith steven sundae sundays sundry sven teeth tenths tents thee there thirds thirsty
    thirties threes threw thursdays todays tomorrows tree tuesdays twenties valentina valentino weak wednesdays
    weeds weeps yearn yeas yeats yesterdays zeno zeros
"""
_SPANISH = """
    abria abrio abrir acer acosto adora agora agos agoto ahoga ahorra ajos amer amos angosto anis aposto aros aver
    avril carta cebo cedro celo ceno centrados centramos cepo cerco cerdo ceros cerro ceso cetro cierto ciertos
    cinico cinto circo ciro cisco cuadro cuanta cuanto cuantos cuarentena cuaresma cuartas cuarzo cuatros dais decia
    decida decido decimal decimas decime decimos descuentos diaz dice digas dios diras divas doblar dolce doler
    dolor dolores domar domingos dominio domino donar done dotar dote ebro entero entro eros erro ferrero hoja hojas
    hola honra horca horda hordas horta hoya inmaculado judio jueces julia julie junco junin junior juno junto
    libera libia libran librar libre libres libros luces lunas madrugar mago majo males malo manada mananas mano
    manzana marana marco mareo mares margo mario marko marte martos mates mato mayor mazo medea medial mediar medias
    medica medico medida medido medina medios medir mejia mejillones memes mesas metes metia metio mides midio mies
    millan mills milton minuta mires misiones moles moses nieve noches nueva ochoa ocio octavia octavio octavos
    pagado papado parado pasados pasalo pasando paso pasos pego pelo pelos penso pero peros pesado pesas peto pisado
    piso pisos poso preso presos primarios prime primeras projimo proximas puso quieta quieto quincy quino quintas
    quintos quinua quita quito redes reses reves sabados sabido sacado salado seais seas secta seguida seguidas
    seguido seguidor seguidos seguimos segundas semanal sentados sentamos sentiamos sentidos sentimos sento sets
    sexo siente siento site sixto sois tarda tardes tardo terceras terceros ternera tires torcer trade traes tras
    tree tris ultimas ultimos valencia valentia valentina valentino vencidos vendidos venite vente vertidos vestidos
    vienes
"""

ORDINARY_ENGLISH = frozenset(_ENGLISH.split())
ORDINARY_SPANISH = frozenset(_SPANISH.split())
