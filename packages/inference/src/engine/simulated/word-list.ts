/** Common words of English and code, most frequent first: the pieces of the simulated vocabulary. */
const text = `
the of and to a in is it that for on with as this be are or by not an from at you have can if we will one has
was all file code test run new line use set get add value name list type data read write path call return
function const let import export class string number object array true false null error result output input
token model server client request response event stream text item user system tool command shell which when
then there their they these those what where who how more most some any each other into out up down over under
after before first last next only also than so but about do does did done make made find found open close start
stop end begin check change update create delete remove move copy build install print show help time date day
year work project folder directory source main index page size length count total sum key map table row column
field state status message content body header host port local remote version number case default option config
setting argument parameter method module package library framework interface async await promise callback loop
while break continue switch throw try catch finally public private static void int float double char byte bit
buffer memory cache disk network socket thread process worker queue stack heap tree node graph edge root leaf
branch commit merge push pull clone fetch issue review patch diff log trace debug info warn fail pass skip
because since until without within between through during against among across along around behind beyond
small large big little long short high low left right top bottom old young good bad best better fast slow
simple complex easy hard same different many few several both either neither every another such own very just
still again always never often now here today please thanks yes no okay sure need want like know think see look
give take keep hold put send receive wait try help ask answer question problem solution reason example detail
step part whole piece group order rule law plan goal idea fact point place way thing world people person man
woman child life hand eye head face house home school water food money city country book word letter sentence
paragraph language english python javascript typescript rust java linux windows browser database query schema
record document image video audio sound color white black red green blue light dark hot cold
`;

export const words: readonly string[] = [...new Set(text.split(/\s+/).filter((word) => word !== ""))];

/** Short sequences of code that real vocabularies hold as one token. */
export const codePieces: readonly string[] = [
  ...'  |    |        |\n\n|\n  |\n    |();|()|) {|{\n|}\n|};|},|[]|{}|": |": "|", "|","|":"|{"|"}| = | == | === | => | + | - | && | || |--|//|/*|*/|...|::|->|</|/>|```|###|\r\n|, |. |: |; |! |? |\'s|n\'t|\'re|ing|ed|er|tion|ment|able|ness|ly|un|re|pre|con|pro|es'.split(
    "|",
  ),
].filter((piece) => piece.length > 1);
