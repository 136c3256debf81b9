// The list of codings that can hide a secret in a text, and the one search through all of them, for logs, reports and
// captures: percent encoding and escapes of JSON, also of one another, and base64 and hex from any letter on.

/** A secret, or a piece of one, in a text. */
export interface Found {
  readonly from: number
  readonly to: number
  /** A number above 0 that says whose secret it is. */
  readonly owner: number
}

export interface Redaction {
  /** Finds secrets in a text without codings. */
  readonly find: (plain: string) => readonly Found[]
  /** Length of the shortest secret that is searched in base64 and hex, in bytes; at least eight. */
  readonly shortest: number
  /** Matches every word in base64 or hex that can hold such a secret. Absent: any word. */
  readonly words?: RegExp
  /** Returns the replacement of `length` characters. */
  readonly mark: (owner: number, length: number) => string
  /** Matches one character of a word: the rest of the word around a secret is replaced too. Absent: the secret alone. */
  readonly around?: RegExp
  /** Texts that are never replaced. */
  readonly kept?: readonly string[]
}

interface Coding {
  readonly name: 'base64' | 'hex'
  /** The number of letters that encode the number of `bytes`. */
  readonly letters: number
  readonly bytes: number
  /** Letters that separate words: whatever their alignment, no text is decoded across them. */
  readonly zeros: string
  /** Is 1 at the code of each letter. It has all codes, because a read out of bounds is slow. */
  readonly alphabet: Uint8Array
}

function alphabet(letters: RegExp): Uint8Array {
  const own = new Uint8Array(2 ** 16)
  for (let code = 0; code < 128; code++) own[code] = Number(letters.test(String.fromCharCode(code)))
  return own
}

const CODINGS: readonly Coding[] = [
  { name: 'base64', letters: 4, bytes: 3, zeros: 'AAAA', alphabet: alphabet(/[\w+/-]/) },
  { name: 'hex', letters: 2, bytes: 1, zeros: '0000', alphabet: alphabet(/[\dA-Fa-f]/) },
]

/** A percent sign, which may be encoded several times, as in an address within an address. */
const PERCENT = '%(?:25){0,3}'

/** Backslashes of JSON in JSON, also percent-encoded. */
const BACKSLASHES = String.raw`(?:\\|${PERCENT}5[Cc]){1,15}`

/**
 * A character of ASCII, escaped or percent-encoded, perhaps several times; a white space of JSON; or another character
 * after backslashes, which means itself, so that a secret with a quote is the same text at every depth of JSON.
 */
const ESCAPE = new RegExp(
  String.raw`${BACKSLASHES}(?:(?:[uU]00|[xX])([0-7][0-9A-Fa-f])|[bfnrtBFNRT]|([^%\\]?))|${PERCENT}([0-7][0-9A-Fa-f])`,
  'g',
)

/** Maps a range of a decoded text to the range of the characters that it was decoded from. */
type RangeMap = (from: number, to: number) => readonly [from: number, to: number]

/** A text in another form, with the way back. */
interface View {
  readonly text: string
  readonly place: RangeMap
}

/** Replaces every secret in a text, in all codings; the rest stays unchanged. */
export function redact(text: string, redaction: Redaction): string {
  const { find, mark, around, kept = [] } = redaction
  const view = unescaped({ text, place: unchanged })
  const isAround = (at: number): boolean => around?.test(view.text.charAt(at)) === true
  let owners: Uint32Array | undefined
  const base = { text: view.text, place: unchanged }
  for (const plain of [base, ...decodings(base, redaction)])
    for (const { from, to, owner } of find(plain.text)) {
      owners ??= new Uint32Array(view.text.length)
      fill(owners, owner, ...plain.place(from, to), isAround)
    }
  if (owners === undefined) return text
  for (const shown of kept.map(withoutEscapes))
    for (let at = view.text.indexOf(shown); at !== -1; at = view.text.indexOf(shown, at + 1))
      owners.fill(0, at, at + shown.length)
  return replaced(text, view, owners, mark)
}

/** Sets the owner of a range, and of the characters around it, up to those that have one. */
function fill(
  owners: Uint32Array,
  owner: number,
  from: number,
  to: number,
  isAround: (at: number) => boolean,
) {
  let [start, end] = [from, to]
  while (owners[start - 1] === 0 && isAround(start - 1)) start--
  while (owners[end] === 0 && isAround(end)) end++
  for (let at = start; at < end; at++) owners[at] ||= owner
}

/** Decodes the escapes of a text: the form in which `find` gets it. */
export function withoutEscapes(text: string): string {
  return unescaped({ text, place: unchanged }).text
}

function replaced(text: string, { place }: View, owners: Uint32Array, mark: Redaction['mark']): string {
  let [result, read] = ['', 0]
  for (let at = 0; at < owners.length;) {
    const owner = owners[at] ?? 0
    let end = at + 1
    while (owners[end] === owner) end++
    // Starts at the read position, because empty escapes before the first character decode to no character.
    const [, to] = place(at, end)
    result += owner === 0 ? text.slice(read, to) : mark(owner, to - read)
    ;[at, read] = [end, to]
  }
  return result
}

/** All texts that the words of a text are decoded to. */
function decodings(view: View, redaction: Redaction): readonly View[] {
  return CODINGS.flatMap((coding) => {
    const letters = lettersOf(view, coding, redaction)
    if (letters === undefined) return []
    // All alignments are decoded, because a word may begin before its coded part, as in a path.
    const skips = Array.from({ length: coding.letters }, (_, skipped) => skipped)
    return skips.map((skipped) => unescaped(decoded(letters, coding, skipped)))
  })
}

/** The words that may be in a coding, as one text, which is faster than each by itself; undefined if there are none. */
function lettersOf(
  { text, place }: View,
  { letters, bytes, alphabet, zeros }: Coding,
  redaction: Redaction,
): View | undefined {
  /** The words, and the places at which they begin, in the text and among the letters. */
  const [found, places, starts]: [string[], number[], number[]] = [[], [], []]
  const least = (redaction.shortest * letters) / bytes
  let [first, start] = [0, 0]
  // A regular expression would need a stack as deep as the longest word.
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && alphabet[text.charCodeAt(at)] === 1) continue
    const word = at - first < least ? undefined : text.slice(first, at)
    if (word !== undefined && redaction.words?.test(word) !== false) {
      found.push(word)
      places.push(first)
      starts.push(start)
      start += word.length + zeros.length
    }
    first = at + 1
  }
  if (found.length === 0) return undefined
  return {
    text: found.join(zeros),
    place(from, to) {
      // The first and last letters of a range may be separators between words.
      const index = lastUpTo(starts, to - 1)
      const [first, begin] = [places[index] ?? 0, starts[index] ?? 0]
      const end = Math.min(to - begin, found[index]?.length ?? 0)
      return place(first + Math.max(0, from - begin), first + end)
    },
  }
}

function decoded({ text, place }: View, { name, letters, bytes }: Coding, skipped: number): View {
  return {
    text: Buffer.from(text.slice(skipped), name).toString('latin1'),
    place: (from, to) =>
      place(skipped + Math.floor((from * letters) / bytes), skipped + Math.ceil((to * letters) / bytes)),
  }
}

/** The index of the last of these ascending numbers that is at most `limit`. */
function lastUpTo(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= limit) low = middle
    else high = middle
  }
  return low
}

const unchanged: RangeMap = (from, to) => [from, to]

function unescaped(view: View): View {
  const { text } = view
  if (!/[%\\]/.test(text)) return view
  /** The place of each character, and the end. */
  const places = new Uint32Array(text.length + 1)
  let [plain, read] = ['', 0]
  const copy = (end: number): void => {
    for (let at = read; at < end; at++) places[plain.length + at - read] = at
    plain += text.slice(read, end)
  }
  for (const { 0: escape, 1: json, 2: itself = '\n', 3: percent, index } of text.matchAll(ESCAPE)) {
    const code = json ?? percent
    copy(index)
    places[plain.length] = index
    plain += code === undefined ? itself : String.fromCharCode(Number.parseInt(code, 16))
    read = index + escape.length
  }
  copy(text.length)
  places[plain.length] = text.length
  return { text: plain, place: (from, to) => view.place(places[from] ?? 0, places[to] ?? 0) }
}
