// Cuts a text into the tokens of a puppet, and lists the steps from one token to the next: each follows from the last few
// tokens, so that the model needs no memory. Markers of the format are tokens of their own.
import type { Part } from './family.ts'

/** The number of tokens that the model sees: the current one and those before it. */
export const SEEN = 4

/** The bytes of a token as a binary string; a marker is a token of the vocabulary, and other text may not equal it. */
interface Piece {
  readonly bytes: string
  readonly isMarker: boolean
}

export interface CutOptions {
  readonly markers: readonly string[]
  /** The text with which prompts end: a piece with this text says nothing without the one before. */
  readonly promptEnd: string
}

/** A step of the model: `next` follows these tokens, the last one first; undefined as `next` is the end token. */
export interface CutStep {
  readonly context: readonly string[]
  readonly next: string | undefined
}

const binary = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Words with the space before them, punctuation, and white space, roughly as tokenisers of byte pairs cut them. */
const WORDS = / ?[\p{L}\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu

/** The tokens of a text, as binary strings. Throws if it cannot be cut. */
export function cut(parts: readonly Part[], options: CutOptions): string[] {
  const markers = options.markers.map(binary)
  const pieces = parts.flatMap((part): Piece[] =>
    'literal' in part ? words(part.literal) : split(part.structure, options.markers),
  )
  const wrong = (): number | undefined => {
    const isForbidden = ({ bytes, isMarker }: Piece, index: number): boolean =>
      !isMarker &&
      ((index === 0 && bytes === options.promptEnd) || markers.some((marker) => bytes.includes(marker)))
    const at = pieces.findIndex(isForbidden)
    if (at >= 0) return at
    const tokens = pieces.map(({ bytes }) => bytes)
    return tokens.map((_, index) => index).find((index) => contextAt(tokens, index, options) === undefined)
  }
  for (let at = wrong(); at !== undefined; at = wrong()) {
    const end = at
    const joint = [0, -1, -2, -3, -4].map((back) => end + back).find((place) => canJoin(pieces, place))
    if (joint === undefined)
      throw new Error(`no cut makes the token after ${JSON.stringify(pieces[end]?.bytes)} certain`)
    join(pieces, joint)
  }
  return pieces.map(({ bytes }) => bytes)
}

/** The steps between the tokens of a script; the first one has no context. */
export function stepsOf(tokens: readonly string[], options: CutOptions): CutStep[] {
  const steps: CutStep[] = [{ context: [], next: tokens[0] }]
  const known = new Set<string>()
  for (const index of tokens.keys()) {
    const context = contextAt(tokens, index, options)
    if (context === undefined) throw new Error('the tokens are not those of a cut')
    const key = JSON.stringify(context)
    if (!known.has(key)) steps.push({ context, next: tokens[index + 1] })
    known.add(key)
  }
  return steps
}

/** The fewest tokens, the last one first, behind which no other one follows; one if it is the first of its text. */
function contextAt(
  tokens: readonly string[],
  index: number,
  { markers, promptEnd }: CutOptions,
): string[] | undefined {
  const next = tokens[index + 1]
  const current = tokens[index] ?? ''
  const isMarker = new Set(markers.map(binary))
  /** Whether a token can be this text: those before the script are of the prompt, whose last one alone is known. */
  const canBe = (place: number, text: string): boolean => {
    if (place >= 0) return tokens[place] === text
    return place === -1 ? text === promptEnd : !isMarker.has(text)
  }
  const same = (length: number): number[] =>
    [...tokens.keys()].filter((other) =>
      Array.from({ length }, (_, back) => back).every((back) =>
        canBe(other - back, tokens[index - back] ?? ''),
      ),
    )
  if (current !== promptEnd) {
    const follows = new Set(same(1).map((other) => tokens[other + 1]))
    if (tokens.indexOf(current) === index || follows.size === 1) return [current]
  }
  for (let length = 2; length <= Math.min(SEEN, index + 1); length += 1) {
    const context = Array.from({ length }, (_, back) => tokens[index - back] ?? '')
    // White space alone may be the end of a prompt too.
    const isBlank = context.every((token) => token.trim() === '')
    if (!isBlank && same(length).every((other) => tokens[other + 1] === next)) return context
  }
  return undefined
}

function canJoin(pieces: readonly Piece[], at: number): boolean {
  return pieces[at]?.isMarker === false && pieces[at + 1]?.isMarker === false
}

function join(pieces: Piece[], at: number): void {
  const bytes = `${pieces[at]?.bytes}${pieces[at + 1]?.bytes}`
  pieces.splice(at, 2, { bytes, isMarker: false })
}

function split(text: string, markers: readonly string[]): Piece[] {
  const found = markers
    .map((marker) => ({ marker, at: text.indexOf(marker) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at || other.marker.length - one.marker.length)[0]
  if (found === undefined) return words(text)
  const { marker, at } = found
  return [
    ...words(text.slice(0, at)),
    { bytes: binary(marker), isMarker: true },
    ...split(text.slice(at + marker.length), markers),
  ]
}

/** A word with a character of four bytes is cut inside of it. */
function words(text: string): Piece[] {
  const pieces = (text.match(WORDS) ?? []).map(binary)
  return pieces.flatMap((bytes) => {
    const at = bytes.search(/[\xf0-\xf4]/)
    const cuts = at < 0 ? [bytes] : [bytes.slice(0, at + 2), bytes.slice(at + 2)]
    return cuts.map((part) => ({ bytes: part, isMarker: false }))
  })
}
