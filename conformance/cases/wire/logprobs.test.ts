// Each fault in what is told of tokens, or done to them, turns red its row and no other (WIRE-19, WIRE-20); what the rows
// allow stays green.
import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { type Fault, inChoices, inChunks, inRequest } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, notPassed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { logitBiasCases } from './logit-bias.ts'
import { logprobCases } from './logprobs.ts'

type Json = Record<string, unknown>

interface Token extends Json {
  readonly token: string
  readonly logprob: number
  readonly bytes: unknown
}

interface Entry extends Token {
  readonly top_logprobs: readonly unknown[]
}

const TOKEN = { id: '97', text: 'a' }

function tokenOf(token: string, logprob: number): Token {
  return { token, logprob, bytes: [...Buffer.from(token)] }
}

/** What is told of one token, with as many candidates as were requested. */
function entryOf(token: string, asked: number): Entry {
  const candidates = Array.from({ length: asked }, (_, rank) =>
    tokenOf(rank === 0 ? token : `${rank}`, -0.5 - rank),
  )
  return { ...tokenOf(token, -0.5), top_logprobs: candidates }
}

function without(json: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([member]) => !names.includes(member)))
}

type Edit = (entry: Entry, asked: number) => unknown

/** A service that tells of the tokens of its echo, plain and streamed; `edit` changes each entry, or leaves it out. */
function tells(edit: Edit, editStreamed: Edit = edit): Fault {
  return (call, right) => {
    if (at(call.body, 'logprobs') !== true) return right(call)
    const asked = Number(at(call.body, 'top_logprobs') ?? 0)
    const told = (text: unknown, change: Edit): Json => {
      const entries = Array.from(String(text), (token) => change(entryOf(token, asked), asked))
      return { content: entries.filter((entry) => entry !== undefined) }
    }
    const plain = inChoices((choice) => ({
      ...choice,
      logprobs: told(at(choice, 'message', 'content'), edit),
    }))
    const streamed = inChunks((chunk) => {
      const content = at(chunk, 'choices', 0, 'delta', 'content') ?? ''
      const logprobs = content === '' ? null : told(content, editStreamed)
      return [{ ...chunk, choices: [{ ...Object(at(chunk, 'choices', 0)), logprobs }] }]
    })
    const ignoring = inRequest((body) => without(body, 'logprobs', 'top_logprobs'))
    return plain(call, (inner) => streamed(inner, (other) => ignoring(other, right)))
  }
}

const asItIs: Edit = (entry) => entry

const broken: Readonly<Record<string, { readonly fault: Fault; readonly check: string }>> = {
  'a log probability above 0': {
    fault: tells((entry) => ({ ...entry, logprob: 0.5 })),
    check: 'wire.logprobs-alone',
  },
  'a log probability as text': {
    fault: tells((entry) => ({ ...entry, logprob: '-0.5' })),
    check: 'wire.logprobs-top-0',
  },
  'a token that is its id': {
    fault: tells((entry) => ({ ...entry, token: entry.token.codePointAt(0) })),
    check: 'wire.logprobs-alone-streamed',
  },
  'no bytes': { fault: tells((entry) => without(entry, 'bytes')), check: 'wire.logprobs-alone' },
  'bytes as text': {
    fault: tells((entry) => ({ ...entry, bytes: entry.token })),
    check: 'wire.logprobs-top-2-streamed',
  },
  'units of UTF-16 for bytes': {
    fault: tells((entry) => ({
      ...entry,
      bytes: Array.from({ length: entry.token.length }, (_, place) => entry.token.charCodeAt(place)),
    })),
    check: 'wire.logprobs-make-content',
  },
  'no entry for a space': {
    fault: tells((entry) => (entry.token === ' ' ? undefined : entry)),
    check: 'wire.logprobs-make-content-streamed',
  },
  'no entry for what is no ASCII': {
    fault: tells((entry) => (entry.token > '~' ? undefined : entry)),
    check: 'wire.logprobs-make-any-content',
  },
  'no entries in a stream': { fault: tells(asItIs, () => undefined), check: 'wire.logprobs-alone-streamed' },
  'a candidate too many': {
    fault: tells((entry, asked) => ({
      ...entry,
      top_logprobs: entryOf(entry.token, asked + 1).top_logprobs,
    })),
    check: 'wire.logprobs-top-2',
  },
  'candidates from the least likely up': {
    fault: tells((entry) => ({ ...entry, top_logprobs: entry.top_logprobs.toReversed() })),
    check: 'wire.logprobs-top-2',
  },
  'a candidate without bytes': {
    fault: tells((entry) => ({
      ...entry,
      top_logprobs: entry.top_logprobs.map((candidate) => without(Object(candidate), 'bytes')),
    })),
    check: 'wire.logprobs-top-2-streamed',
  },
  'no list of candidates where two were asked for': {
    fault: tells((entry, asked) => (asked > 0 ? without(entry, 'top_logprobs') : entry)),
    check: 'wire.logprobs-top-2',
  },
}

const allowed: Readonly<Record<string, Fault>> = {
  'every entry as it is': tells(asItIs),
  'null for bytes': tells((entry) => ({ ...entry, bytes: null })),
  'fewer candidates than were asked for': tells((entry) => ({
    ...entry,
    top_logprobs: entry.top_logprobs.slice(0, 1),
  })),
  'no list of candidates where none were asked for': tells((entry, asked) =>
    asked === 0 ? without(entry, 'top_logprobs') : entry,
  ),
  'members that the format lacks': tells((entry) => ({ ...entry, id: 7 })),
}

describe('log probabilities (WIRE-19)', () => {
  it.each(Object.entries(broken))('%s', async (_, { fault, check }) => {
    const verdicts = await judgeChat(fault, logprobCases, { runs: 5 })
    expect(redRows(verdicts)).toEqual(['WIRE-19'])
    expect(failed(verdicts)).toContain(check)
  })

  it.each(Object.entries(allowed))('allowed: %s', async (_, fault) => {
    expect(notPassed(await judgeChat(fault, logprobCases, { runs: 5 }))).toEqual([])
  })

  it('a service that refuses logprobs by name is not judged by them', async () => {
    const verdicts = await judgeChat(undefined, logprobCases, { runs: 5 })
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']))
  })
})

/** The request as if it had no `logit_bias`, with this done to what its user says. */
function biased(edit: (text: string, bias: Json) => string): Fault {
  return inRequest((body) => {
    const bias = body['logit_bias']
    if (!isRecord(bias)) return body
    const content = edit(String(at(body, 'messages', 0, 'content')), bias)
    return { ...without(body, 'logit_bias'), messages: [{ role: 'user', content }] }
  })
}

function removed(text: string, bias: Json): string {
  return Array.from(text, (token) => (bias[String(token.codePointAt(0))] === -100 ? '' : token)).join('')
}

/** Refuses a bias of this value as out of its range. */
function refusing(value: number): Fault {
  return (call, right) => {
    const values = Object.values(Object(at(call.body, 'logit_bias')))
    return values.includes(value) ? refuse(400, 'no', 'Out of range.') : biased(removed)(call, right)
  }
}

describe('logit_bias (WIRE-20)', () => {
  it.each([
    ['it is ignored', biased((text) => text), 'wire.logit-bias-removes'],
    [
      'the first of its tokens is removed alone',
      biased((text) => text.replace(TOKEN.text, '')),
      'wire.logit-bias-removes-streamed',
    ],
    ['−100 is refused', refusing(-100), 'wire.logit-bias-least'],
    ['100 is refused', refusing(100), 'wire.logit-bias-most'],
  ])('%s', async (_, fault, check) => {
    const verdicts = await judgeChat(fault, logitBiasCases, { token: TOKEN })
    expect(redRows(verdicts)).toEqual(['WIRE-20'])
    expect(failed(verdicts)).toContain(check)
  })

  it('a token that is never said is green', async () => {
    const others = notPassed(await judgeChat(biased(removed), logitBiasCases, { token: TOKEN }))
    // Whether it acts on what is likely shows on models that do not echo.
    expect(others).toEqual([expect.stringMatching(/^wire\.logit-bias-acts: not-applicable/)])
  })

  it('where no token is known, its effect is not judged', async () => {
    const verdicts = await judgeChat(biased(removed), logitBiasCases)
    const skipped = verdicts.filter(({ outcome }) => outcome === 'not-applicable').map(({ id }) => id)
    expect(skipped).toEqual([
      'wire.logit-bias-removes',
      'wire.logit-bias-removes-streamed',
      'wire.logit-bias-removes-later',
      'wire.logit-bias-removes-later-streamed',
      'wire.logit-bias-acts',
    ])
  })

  /** A model that does not echo, and always says the same; a bias of 100 has it say that token alone. */
  const talks =
    (obeys: (id: number) => boolean): Fault =>
    (call, right) => {
      const [id, bias] = Object.entries(Object(at(call.body, 'logit_bias')))[0] ?? []
      const said = bias === 100 && obeys(Number(id)) ? `token ${id}` : 'Hello.'
      return inRequest((body) => ({
        ...without(body, 'logit_bias'),
        messages: [{ role: 'user', content: said }],
      }))(call, right)
    }

  it('a model that does not echo: a bias that changes nothing is ignored', async () => {
    expect(
      failed(
        await judgeChat(
          talks(() => false),
          logitBiasCases,
        ),
      ),
    ).toEqual(['wire.logit-bias-acts'])
    expect(
      failed(
        await judgeChat(
          talks(() => true),
          logitBiasCases,
        ),
      ),
    ).toEqual([])
  })

  it('nor one that holds most tokens for impossible', async () => {
    const seldom = talks((id) => id === 110)
    expect(failed(await judgeChat(seldom, logitBiasCases))).toEqual([])
  })
})
