// Texts that match a grammar, the shortest first; always the same ones.
import { begin, type Grammar, type GrammarState } from './byte-grammar.ts'

/** The bytes that replace others: printable ASCII. */
const REPLACEMENTS = Array.from({ length: 0x7e - 0x20 + 1 }, (_, index) => 0x20 + index)

/** A shortest text of `grammar`, then shortest ones that differ from it at one byte, from the last. Throws `NoText`. */
export function* textsOf(grammar: Grammar): Generator<string> {
  const start = begin(grammar)
  const shortest = completed(start, [])
  yield textOf(shortest)
  for (let place = shortest.length - 1; place >= 0; place -= 1) {
    const before = shortest.slice(0, place)
    const state = start.after(before)
    for (const byte of REPLACEMENTS) {
      const other = byte === shortest[place] ? undefined : state?.after([byte])
      if (other !== undefined) yield textOf(completed(other, [...before, byte]))
    }
  }
}

function textOf(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString()
}

/** `bytes`, which led to `state`, and the shortest rest. */
function completed(state: GrammarState | undefined, bytes: number[]): number[] {
  for (let next = state?.nextByte(); next !== undefined; next = state?.nextByte()) {
    bytes.push(next)
    state = state?.after([next])
  }
  return bytes
}
