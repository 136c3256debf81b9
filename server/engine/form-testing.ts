// For tests of forms: a text drawn from one, without any model.
import { begin, type Form } from './byte-grammar.ts'
import { createRandom } from './sampling.ts'

/** A text of the form: random bytes for a while, then the shortest way to the end. */
export function textOf(form: Form, seed: number, wander: number): string {
  const random = createRandom(seed)
  const bytes: number[] = []
  let state = begin(form)
  while (!state.mustEnd) {
    if (bytes.length >= wander && state.mayEnd) break
    const here = state
    const possible = Array.from({ length: 256 }, (_, value) => value).filter((value) => here.after([value]))
    const next =
      bytes.length < wander
        ? possible[Math.floor(random() * possible.length)]
        : (here.nextByte() ?? possible[0])
    if (next === undefined) throw new Error('a dead end')
    bytes.push(next)
    state = here.after([next]) ?? here
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
}
