// Discovers the facts about a target: its model, whether it echoes, the fields that it supports, its keys. Each fact is
// discovered once and shared by all cases.
import { KEY_PREFIX } from '../../spec/protocol/key.ts'
import { ASKED, type Members, namesField, smallestMembers } from '../contract/capabilities.ts'
import { type DiscoverKeysOptions, discoverKeys } from './discover-keys.ts'
import { findToken } from './known-token.ts'
import { memoize } from '../../harness/memoize.ts'
import { type Exchange, json } from '../../harness/http/exchange.ts'
import { listedModels } from '../../harness/http/find-base.ts'
import { describePace, FAST_PLAN } from './pace.ts'
import { unreadAnswer, unreadReason } from '../exchanges/read-answer.ts'
import { Inconclusive, NotApplicable } from '../contract/outcome.ts'
import {
  type DiscoveredFact,
  type DiscoveredTarget,
  type KnownToken,
  type Plan,
  type SteadyAnswer,
  TOKEN_BOUNDS,
  type TokenBound,
} from '../contract/target.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import { at } from '../../harness/json-value.ts'
import { choicesOf, contentOf } from '../../harness/verify/verify-completion.ts'

export interface DiscoverOptions extends TargetFacts, Omit<DiscoverKeysOptions, 'model' | 'models' | 'note'> {
  readonly key: string
  readonly authHeader?: string | undefined
  /** The addresses of the operations that are used, for the report. */
  readonly addresses?: readonly string[]
  /** How the key and the model became known, for the report. */
  readonly learned: { readonly key: string; readonly model: string }
  readonly token?: KnownToken | undefined
  /** Left out for a model that answers at once. */
  readonly plan?: () => Plan
  readonly randomText: () => string
}

/** The fact that the key has another form than those of the specification. */
export const FOREIGN_KEY = 'foreign key'

/** Asks for text with several words and lines: its parts are stop strings for a model that does not echo. */
const STEADY_MESSAGES = [{ role: 'user', content: 'Name ten animals, each on its own line.' }]

/** Answers to the test of determinism. */
const SAME_ANSWERS = 3

/** Returns whether a field bounds the length of an answer. */
function isBound(field: string): boolean {
  return TOKEN_BOUNDS.some((bound) => bound === field)
}

/** Makes the target of a run; no fact is discovered before a case asks for it. */
export function discoverTarget(options: DiscoverOptions): DiscoveredTarget {
  const { ask, model, plan = () => FAST_PLAN } = options
  const facts: DiscoveredFact[] = [
    { name: 'model', value: model, learned: options.learned.model },
    ...(options.key === '' ? [] : [{ name: 'key', value: 'given', learned: options.learned.key }]),
    ...(options.key === '' || options.key.startsWith(KEY_PREFIX)
      ? []
      : [{ name: FOREIGN_KEY, value: true, learned: options.learned.key }]),
    ...(options.addresses ?? []).map((value) => ({ name: 'address', value, learned: '--base-url' })),
  ]
  const note = <Value>(name: string, value: Value, learned: string, shown: unknown = value): Value => {
    facts.push({ name, value: shown, learned })
    return value
  }
  const capabilities = new Map<string, { name: string; offered: boolean; learned: string }>()
  const capability = (name: string, offered: boolean, learned: string): boolean => {
    capabilities.set(name, { name, offered, learned })
    return offered
  }

  /** Throws `Inconclusive` for a success that cannot be read: it shows no fact. */
  const chat = async (members: Members): Promise<Exchange> => {
    const messages = [{ role: 'user', content: ASKED }]
    const body = JSON.stringify({ model, messages, ...members })
    const exchange = await ask({ path: '/v1/chat/completions', body })
    const unread = exchange.response.status === 200 ? unreadAnswer(exchange) : undefined
    if (unread !== undefined) throw new Inconclusive(unreadReason(unread))
    return exchange
  }

  const models = memoize(async () =>
    note('models', listedModels(await ask({ path: '/v1/models' })), 'GET /v1/models'),
  )

  /** The answer to this short text; a model that echoes repeats it. The request has a bound, so that no answer is endless. */
  async function answerTo(content: string): Promise<string | undefined> {
    const messages = [{ role: 'user', content }]
    const bound = await firstBound()
    const answer = contentOf(await chat({ messages, ...bound }))
    // A bound that cuts an answer too early must not hide an echo.
    const mayBeCut =
      Object.keys(bound).length > 0 &&
      (answer === undefined || (answer !== content && content.startsWith(answer)))
    return mayBeCut ? contentOf(await chat({ messages })) : answer
  }

  /** A bound for the requests by which the model is discovered. */
  async function firstBound(): Promise<TokenBound> {
    for (const field of TOKEN_BOUNDS)
      if (await supports(field).catch(() => false)) return { [field]: plan().briefTokens }
    return {}
  }

  const echoes = memoize(async () => {
    for (let round = 0; round < 2; round++) {
      const text = options.randomText()
      const answer = await answerTo(text)
      if (answer === text) continue
      const came =
        answer?.includes(text) === true ? 'came back, but not as the whole answer' : 'did not come back'
      return capability('echo', false, `a random text ${came}`)
    }
    return capability('echo', true, 'two random texts came back')
  })

  const steady = memoize(async (): Promise<SteadyAnswer | undefined> => {
    let request: Members = { messages: STEADY_MESSAGES, ...(await brief()), temperature: 0, seed: 1 }
    let exchange = await chat(request)
    if (exchange.response.status !== 200) {
      // A target that refuses these fields may still always give the same answer.
      request = { messages: STEADY_MESSAGES, ...(await brief()) }
      exchange = await chat(request)
    }
    const texts = new Set([saidBy(exchange)])
    for (let round = 1; round < SAME_ANSWERS; round++) texts.add(saidBy(await chat(request)))
    const same = texts.size === 1 && !texts.has(undefined)
    capability('deterministic', same, `asked the same ${SAME_ANSWERS} times`)
    return same ? { request, exchange } : undefined
  })
  const deterministic = async (): Promise<boolean> => (await steady()) !== undefined
  async function requireDeterministic(): Promise<SteadyAnswer> {
    const answer = await steady()
    if (answer === undefined) throw new NotApplicable('the model is not deterministic')
    return answer
  }

  const supported = new Map<string, () => Promise<boolean>>()
  function supports(field: string, members = smallestMembers(field)): Promise<boolean> {
    if (members === undefined) throw new RangeError(`no smallest request is known for ${field}`)
    const id = JSON.stringify([field, members])
    const ask = supported.get(id) ?? memoize(() => askSupport(field, members))
    supported.set(id, ask)
    return ask()
  }
  async function askSupport(field: string, members: Members): Promise<boolean> {
    // The status shows whether the field is accepted, so a short answer is enough.
    const exchange = await chat({ ...(isBound(field) ? {} : await firstBound()), ...members })
    const refused = exchange.response.status === 400 && namesField(exchange, field)
    const what = refused ? 'a 400 that names it' : `status ${exchange.response.status}`
    return capability(field, !refused, `asked: ${what}`)
  }

  /** The field that bounds an answer; undefined if the target refuses both fields, or only echoes the request. */
  const boundingField = memoize(async () => {
    if (await echoes()) return undefined
    for (const field of TOKEN_BOUNDS) if (await supports(field)) return field
    return undefined
  })
  async function brief(tokens?: number): Promise<TokenBound> {
    // If the field cannot be discovered, the request itself fails in the same way, and its case reports that.
    const field = await boundingField().catch(() => undefined)
    const { briefTokens, mostTokens } = plan()
    return field === undefined ? {} : { [field]: Math.min(tokens ?? briefTokens, mostTokens) }
  }

  const token = memoize(async () => {
    if (options.token !== undefined) return options.token
    const found = await findToken({ target: { echoes, deterministic, requireDeterministic, supports }, chat })
    return found && note('token', found, 'found by `logit_bias`', `${found.id}: ${found.text}`)
  })

  const offered = async (asked: Promise<boolean>, reason: string): Promise<void> => {
    if (!(await asked)) throw new NotApplicable(reason)
  }

  return {
    baseUrl: options.baseUrl,
    profile: options.profile,
    model,
    key: options.key,
    authHeader: options.authHeader,
    token,
    models,
    echoes,
    deterministic,
    supports: async (field, members) => supports(field, members),
    brief,
    plan,
    requireEcho: () => offered(echoes(), 'the model does not echo'),
    requireDeterministic,
    requireField: async (field, members) =>
      offered(supports(field, members), `the target refuses ${field} by name`),
    ...discoverKeys({ ...options, models, note }),
    facts: () => [...facts, ...paceFact(plan())],
    capabilities: () => [...capabilities.values()],
  }
}

/** The pace of a slow model, as the report shows it. */
function paceFact({ pace }: Plan): readonly DiscoveredFact[] {
  if (pace === undefined) return []
  return [{ name: 'pace', value: describePace(pace), learned: 'timed answers' }]
}

/** The text of an answer, '' if it ended without any; undefined if there is no such answer. */
function saidBy(exchange: Exchange): string | undefined {
  const [choice] = choicesOf(json(exchange))
  const isEmpty = at(choice, 'message', 'content') === null && at(choice, 'finish_reason') === 'stop'
  return isEmpty ? '' : contentOf(exchange)
}
