// Log probabilities and `logit_bias`: which faults the cases find, and what they leave alone (WIRE-19, WIRE-20).
import { describe, expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { editCompletionChoices, editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { asObject, without } from '../../../../../fixtures/faulty/json-types.ts'
import { failed, judgeFault, notPassed, outcomeOf, outcomesOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { logitBiasCases } from './logit-bias.ts'
import { logprobCases } from './logprobs.ts'

describe('log probabilities', () => {
  const section = { cases: logprobCases, runs: 5 }

  it('judges no service that refuses logprobs by name', async () => {
    const verdicts = await judgeFault(() => refuseFields(['logprobs']), logprobCases, section)
    expect(outcomesOf(verdicts)).toEqual(['not-applicable'])
  })
})

describe('the order of candidates', () => {
  it('is not judged if an answer has no logprobs', async () => {
    const silent = () => editCompletionChoices((choice) => ({ ...choice, logprobs: null }))
    const verdicts = await judgeFault(silent, logprobCases, { runs: 1 })
    expect(failed(verdicts)).toContain('wire.logprobs-alone')
    expect(outcomeOf(verdicts, 'wire.logprobs-falling')).toBe('not-applicable')
  })
})

describe('logit_bias', () => {
  const section = { cases: logitBiasCases, token: { id: '97', text: 'a' } }

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
    { title: 'is ignored', obeys: () => false, token: section.token, checks: ['wire.logit-bias-acts'] },
    { title: 'is ignored if no token is known', obeys: () => false, token: undefined, checks: [] },
    { title: 'changes the answer', obeys: () => true, token: section.token, checks: [] },
    { title: 'acts on one of several', obeys: (id: number) => id === 110, token: section.token, checks: [] },
  ])('judges a model that does not echo: a bias of 100 that $title', async ({ obeys, token, checks }) => {
    /** It always says the same; a bias of 100 that it obeys makes it say that token alone. */
    const talks: Start = () =>
      editRequest((body) => {
        const [id, bias] = Object.entries(asObject(body['logit_bias']))[0] ?? []
        const said = bias === 100 && obeys(Number(id)) ? `token ${id}` : 'Hello.'
        return { ...without(body, 'logit_bias'), messages: [{ role: 'user', content: said }] }
      })
    const given = token === undefined ? {} : { token }
    expect(failed(await judgeFault(talks, logitBiasCases, given))).toEqual(checks)
  })
})
