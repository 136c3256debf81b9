// The vocabulary of a puppet: single bytes, the pieces of its scripts, the markers of its family, and a token for the name
// of each script.
import { byteTokens, CONTROL, NORMAL, USER_DEFINED } from '../fixtures/tiny-model/llama-graph.ts'
import type { BuiltPuppet } from './build-puppet.ts'
import type { TokenStep } from './weights.ts'

export interface Vocabulary {
  /** The tokens: bytes and pieces in the alphabet of GPT-2, then the others as they are. */
  readonly tokens: readonly string[]
  /** The number of bytes and pieces. */
  readonly ordinary: number
  /** Their types in GGUF. */
  readonly types: readonly number[]
  /** The tokens that name a script. */
  readonly names: ReadonlySet<number>
  readonly idOf: (text: string) => number
  readonly steps: readonly TokenStep[]
}

export function createVocabulary({ family, pieces, tracks }: BuiltPuppet): Vocabulary {
  const alphabet = byteTokens()
  const written = (bytes: string): string =>
    Array.from(Buffer.from(bytes, 'latin1'), (byte) => alphabet[byte] ?? '').join('')
  const ordinary = [...alphabet, ...pieces.map(written)]
  const control = new Set([...family.control, family.end])
  const markers = [...new Set([...control, ...family.markers])]
  const scripts = tracks.flatMap(({ name }) => name ?? [])
  const tokens = [...ordinary, ...markers, ...scripts]
  const ids = new Map<string, number>()
  for (const [byte, character] of alphabet.entries()) {
    ids.set(String.fromCodePoint(byte), byte)
    if (character === '') throw new Error('the alphabet has all bytes')
  }
  for (const [index, bytes] of pieces.entries()) ids.set(bytes, alphabet.length + index)
  for (const [index, text] of [...markers, ...scripts].entries())
    ids.set(Buffer.from(text).toString('latin1'), ordinary.length + index)
  const idOf = (bytes: string): number => {
    const id = ids.get(bytes)
    if (id === undefined) throw new Error(`no token is ${JSON.stringify(bytes)}`)
    return id
  }
  const idOfText = (text: string): number => idOf(Buffer.from(text).toString('latin1'))
  return {
    tokens,
    ordinary: ordinary.length,
    types: tokens.map((text, id) => {
      if (id < ordinary.length) return NORMAL
      return control.has(text) ? CONTROL : USER_DEFINED
    }),
    names: new Set(scripts.map(idOfText)),
    idOf: idOfText,
    steps: tracks.flatMap(({ name, steps, end }) =>
      steps.map(({ context, next }) => ({
        script: name === undefined ? undefined : idOfText(name),
        context: context.map(idOf),
        next: next === undefined ? idOfText(end) : idOf(next),
      })),
    ),
  }
}
