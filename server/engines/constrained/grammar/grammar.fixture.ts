// Draws a text from a grammar, without any model.
import { begin, type Grammar, type GrammarState } from './byte-grammar.ts'
import { createRandom } from '../../text/token-sampling.ts'

/** A text of the grammar: random bytes for a while, then the shortest way to the end. */
export function textOf(grammar: Grammar, seed: number, wander: number): string {
  const random = createRandom(seed)
  const bytes: number[] = []
  let state = begin(grammar)
  while (!state.mustEnd) {
    if (bytes.length >= wander && state.mayEnd) break
    const here = state
    const next = bytes.length < wander ? anyByte(here, random()) : (here.nextByte() ?? anyByte(here, 0))
    if (next === undefined) throw new Error('a dead end')
    bytes.push(next)
    state = here.after([next]) ?? here
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
}

/** One of the bytes that may come; `chance` is from 0 to 1. */
function anyByte(state: GrammarState, chance: number): number | undefined {
  const possible = Array.from({ length: 256 }, (_, value) => value).filter((value) => state.after([value]))
  return possible[Math.floor(chance * possible.length)]
}
