// The grammars that were built last: all choices of a request share one, as do requests with the same tools.
import type { GrammarState } from '../../constrained/grammar/byte-grammar.ts'
import { beginAnswer, type GrammarSpec } from '../answer-grammar.ts'

/** Grammars that are kept. */
const MAX_KEPT = 4

const kept = new Map<string, GrammarState>()

/** The beginning of an answer that must match `grammar`. Throws what `beginAnswer` throws. */
export function beginningOf(grammar: GrammarSpec): GrammarState {
  const key = JSON.stringify(grammar)
  const state = kept.get(key) ?? beginAnswer(grammar)
  kept.delete(key)
  kept.set(key, state)
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
  return state
}
