// The selection for a derived server: the checks of the rows that it breaks, and a few others. A server that they do not
// catch is judged by the whole catalogue, so that a run over all servers is affordable and complete.
import { createHash } from 'node:crypto'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import { type Catalogue, type Selection, select } from '../../subjects/server/selection.ts'
import type { Profile } from '../../../harness/target-facts.ts'
import type { Mutant } from './mutant.ts'

type Rows = readonly RequirementId[]

/** Rows that are judged for every server: hardly any derived fault breaks them, and each sends few requests. */
const BESIDE: Rows = ['AUTH-3', 'CHAT-3', 'CHAT-7', 'ERR-3', 'MODEL-1', 'STREAM-2', 'WIRE-4']

/** Rows whose requests produce every form of an answer for observers. */
const TRAFFIC: Rows = ['WIRE-6', 'WIRE-7', 'WIRE-19', 'STREAM-5', 'STREAM-7', 'TOOL-3', 'CHAT-4']

/** The selections for the first and the second try at a server. */
export function selectionsFor(
  mutant: Mutant,
  catalogue: Catalogue,
  profile: Profile,
): readonly [Selection, Selection] {
  const only = mutant.kind === 'fault' && mutant.alone ? mutant.requirement : undefined
  const whole = select(catalogue, { profile, only })
  return mutant.parts === undefined || only !== undefined ? [whole, whole] : [near(mutant, whole), whole]
}

function near(mutant: Mutant, whole: Selection): Selection {
  const rows = mutant.kind === 'fault' ? [mutant.requirement] : mutant.tolerances
  const judged = new Set<RequirementId>([...rows, ...BESIDE])
  const observers = whole.observers.filter(({ requirement }) => rows.includes(requirement))
  const shown = new Set<RequirementId>(observers.length === 0 ? [] : TRAFFIC)
  return {
    cases: whole.cases.filter(({ requirement }) => judged.has(requirement)),
    observers,
    traffic: whole.cases.filter(({ requirement }) => !judged.has(requirement) && shown.has(requirement)),
  }
}

/** Draws `count` mutants, the same for the same seed; a new mutant replaces at most one of them. */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  const places = new Map(
    mutants.map(({ id }) => [id, createHash('sha256').update(`${seed} ${id}`).digest('hex')]),
  )
  const chosen = new Set(
    [...places]
      .toSorted(([, one], [, other]) => (one < other ? -1 : 1))
      .slice(0, count)
      .map(([id]) => id),
  )
  return mutants.filter(({ id }) => chosen.has(id))
}
