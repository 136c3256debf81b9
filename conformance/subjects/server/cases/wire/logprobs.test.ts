// Log probabilities and `logit_bias`: which faults the cases find, and what they leave alone (WIRE-19, WIRE-20).
import { describe, expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { asObject, without } from '../../../../../fixtures/faulty/json.ts'
import { failed, judgeFault, notPassed, outcomesOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { logitBiasCases } from './logit-bias.ts'
import { logprobCases } from './logprobs.ts'

describe('log probabilities', () => {
  const section = { cases: logprobCases, runs: 5 }

  testFaults(section, {
    'wire-gives-positive-logprobs': ['wire.logprobs-alone', 'WIRE-19'],
    'derived-completion-choices-logprobs-content-logprob-number-as-text-always': [
      'wire.logprobs-top-0',
      'WIRE-19',
    ],
    'derived-chunk-choices-logprobs-content-token-wrong-type-always': [
      'wire.logprobs-alone-streamed',
      'WIRE-19',
    ],
    'wire-leaves-bytes-out': ['wire.logprobs-alone', 'WIRE-19'],
    'derived-chunk-choices-logprobs-content-bytes-wrong-type-always': [
      'wire.logprobs-top-2-streamed',
      'WIRE-19',
    ],
    'wire-gives-units-for-bytes': ['wire.logprobs-make-content', 'WIRE-19'],
    'wire-trims-tokens': ['wire.logprobs-alone', 'WIRE-19'],
    'wire-trims-token-bytes': ['wire.logprobs-alone-streamed', 'WIRE-19'],
    'wire-trims-candidates': ['wire.logprobs-top-2', 'WIRE-19'],
    'wire-loses-entries': ['wire.logprobs-make-content', 'WIRE-19'],
    'wire-loses-entries-of-spaces': ['wire.logprobs-make-content-streamed', 'WIRE-19'],
    'wire-loses-entries-beyond-ascii': ['wire.logprobs-make-any-content', 'WIRE-19'],
    'wire-streams-no-logprobs': ['wire.logprobs-alone-streamed', 'WIRE-19'],
    'derived-chunk-choices-logprobs-content-empty-always': ['wire.logprobs-alone-streamed', 'WIRE-19'],
    'wire-gives-too-many-candidates': ['wire.logprobs-top-2', 'WIRE-19'],
    'wire-sorts-candidates-wrongly': ['wire.logprobs-falling', 'WIRE-19'],
    'derived-chunk-choices-logprobs-content-top-logprobs-bytes-dropped-always': [
      'wire.logprobs-top-2-streamed',
      'WIRE-19',
    ],
    'derived-completion-choices-logprobs-content-top-logprobs-dropped-always': [
      'wire.logprobs-top-2',
      'WIRE-19',
    ],
  })

  testOddities(section)

  it('judges no service that refuses logprobs by name', async () => {
    const verdicts = await judgeFault(() => refuseFields(['logprobs']), logprobCases, section)
    expect(outcomesOf(verdicts)).toEqual(['not-applicable'])
  })
})

describe('logit_bias', () => {
  const section = { cases: logitBiasCases, token: { id: '97', text: 'a' } }

  testFaults(section, {
    'wire-ignores-logit-bias': ['wire.logit-bias-removes', 'WIRE-20'],
    'wire-removes-a-token-once': ['wire.logit-bias-removes-streamed', 'WIRE-20'],
    'derived-request-logit-bias-element-least-refused-plain': ['wire.logit-bias-least', 'WIRE-20'],
    'derived-request-logit-bias-element-greatest-refused-plain': ['wire.logit-bias-most', 'WIRE-20'],
  })

  it('passes at a service that never says a token whose bias is -100', async () => {
    // Whether a bias acts on what is likely shows on models that do not echo.
    expect(notPassed(await judgeFault('odd-proxy', logitBiasCases, section))).toEqual([
      expect.stringMatching(/^wire\.logit-bias-acts: not-applicable/),
    ])
  })

  it.each(['odd-other-token-ids'])('does not judge the effect if no token is known: %s', async (id) => {
    const verdicts = await judgeFault(id, logitBiasCases)
    const skipped = verdicts
      .filter(({ outcome }) => outcome === 'not-applicable')
      .map((verdict) => verdict.id)
    expect(skipped).toEqual([
      'wire.logit-bias-removes',
      'wire.logit-bias-removes-streamed',
      'wire.logit-bias-removes-later',
      'wire.logit-bias-removes-later-streamed',
      'wire.logit-bias-acts',
    ])
    expect(failed(verdicts)).toEqual([])
  })

  it.each([
    { title: 'is ignored', obeys: () => false, checks: ['wire.logit-bias-acts'] },
    { title: 'changes the answer', obeys: () => true, checks: [] },
    { title: 'acts on one token of several', obeys: (id: number) => id === 110, checks: [] },
  ])('judges a model that does not echo: a bias of 100 that $title', async ({ obeys, checks }) => {
    /** It always says the same; a bias of 100 that it obeys makes it say that token alone. */
    const talks: Start = () =>
      editRequest((body) => {
        const [id, bias] = Object.entries(asObject(body['logit_bias']))[0] ?? []
        const said = bias === 100 && obeys(Number(id)) ? `token ${id}` : 'Hello.'
        return { ...without(body, 'logit_bias'), messages: [{ role: 'user', content: said }] }
      })
    expect(failed(await judgeFault(talks, logitBiasCases))).toEqual(checks)
  })
})
