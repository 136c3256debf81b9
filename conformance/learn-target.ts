// Learns what a target is: which model, whether it echoes, which fields it supports, which keys there are. Each fact
// is asked for once, and shared by all cases.
import { ASKED, type Members, namesField, smallestMembers } from './capabilities.ts'
import { type KeyMaker, KeyCommandError } from './key-command.ts'
import { type Exchange, type RequestSpec, json } from './probe.ts'
import { Inconclusive, NotApplicable } from './signals.ts'
import type {
  LearnedFact,
  LearningTarget,
  MadeKey,
  NewKeyOptions,
  RequestLimit,
  TargetFacts,
} from './target.ts'
import { at } from './verify.ts'
import { contentOf } from './verify-completion.ts'

/** The keys that were given, by what they are for. */
export interface GivenKeys {
  readonly main?: string
  readonly second?: string
  readonly revoked?: string
  readonly restricted?: { readonly key: string; readonly model: string }
  readonly limited?: string
}

export interface LearnOptions extends TargetFacts {
  readonly key: string
  /** How the key and the model became known, for the report. */
  readonly learned: { readonly key: string; readonly model: string }
  readonly given: GivenKeys
  /** The limit of the given limited key, where it was told. */
  readonly limit?: RequestLimit | undefined
  readonly token?: { readonly id: string; readonly text: string } | undefined
  readonly keyMaker?: KeyMaker | undefined
  /** Sends a request for the run as a whole, with the main key unless told otherwise; obeys 429s. */
  readonly ask: (request: RequestSpec) => Promise<Exchange>
  /** Random text for the echo test. */
  readonly randomText: () => string
}

/** The limit of the limited key where the judge makes it: used up in no time, and soon renewed. */
const MADE_LIMIT: RequestLimit = { requests: 5, windowSeconds: 2 }

/** Answers to the test of determinism. */
const SAME_ANSWERS = 3

/** The model ids that an answer of `GET /v1/models` lists. */
export function listedModels(exchange: Exchange): readonly string[] {
  const data = exchange.response.status === 200 ? at(json(exchange), 'data') : undefined
  if (!Array.isArray(data)) return []
  return data.map((model: unknown) => at(model, 'id')).filter((id) => typeof id === 'string')
}

/** Makes the target of a run; nothing is asked before a case asks for it. */
export function learnTarget(options: LearnOptions): LearningTarget {
  const { ask, keyMaker, given, model } = options
  const facts: LearnedFact[] = [
    { name: 'model', value: model, learned: options.learned.model },
    ...(options.key === '' ? [] : [{ name: 'key', value: 'given', learned: options.learned.key }]),
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

  const chat = (members: Members): Promise<Exchange> => {
    const messages = [{ role: 'user', content: ASKED }]
    return ask({ path: '/v1/chat/completions', body: JSON.stringify({ model, messages, ...members }) })
  }

  const models = once(async () =>
    note('models', listedModels(await ask({ path: '/v1/models' })), 'GET /v1/models'),
  )

  const echoes = once(async () => {
    for (let round = 0; round < 2; round++) {
      const content = options.randomText()
      const exchange = await chat({ messages: [{ role: 'user', content }] })
      if (contentOf(exchange) !== content) return capability('echo', false, 'a random text did not come back')
    }
    return capability('echo', true, 'two random texts came back')
  })

  const deterministic = once(async () => {
    const texts = new Set<string | undefined>()
    for (let round = 0; round < SAME_ANSWERS; round++) {
      const exchange = await chat({ temperature: 0, seed: 1 })
      // A target that refuses these fields may still always say the same.
      texts.add(contentOf(exchange.response.status === 200 ? exchange : await chat({})))
    }
    const same = texts.size === 1 && !texts.has(undefined)
    return capability('deterministic', same, `asked the same ${SAME_ANSWERS} times`)
  })

  const supported = new Map<string, Promise<boolean>>()
  function supports(field: string, members = smallestMembers(field)): Promise<boolean> {
    if (members === undefined) throw new RangeError(`no smallest request is known for ${field}`)
    const id = JSON.stringify([field, members])
    const asked = supported.get(id) ?? askSupport(field, members)
    supported.set(id, asked)
    return asked
  }
  async function askSupport(field: string, members: Members): Promise<boolean> {
    const exchange = await chat(members)
    const refused = exchange.response.status === 400 && namesField(exchange, field)
    const what = refused ? 'a 400 that names it' : `status ${exchange.response.status}`
    return capability(field, !refused, `asked: ${what}`)
  }

  async function make(what: string, variable: string, key?: NewKeyOptions): Promise<MadeKey> {
    if (keyMaker === undefined) {
      const command = 'CONFORMANCE_KEY_COMMAND'
      const both = variable === command ? command : `${variable} or ${command}`
      throw new Inconclusive(`${what} is needed: set ${both}`, both)
    }
    try {
      return await keyMaker.create(key)
    } catch (error) {
      if (error instanceof KeyCommandError) throw new Inconclusive(error.message, 'CONFORMANCE_KEY_COMMAND')
      throw error
    }
  }

  async function revoke(id: string): Promise<void> {
    try {
      await keyMaker?.revoke(id)
    } catch (error) {
      if (error instanceof KeyCommandError) throw new Inconclusive(error.message, 'CONFORMANCE_KEY_COMMAND')
      throw error
    }
  }

  const keyOf = (name: string, what: string, variable: string, value: string | undefined) =>
    once(async () => {
      if (value !== undefined) return note(name, value, variable, 'given')
      const { secret } = await make(what, variable)
      return note(name, secret, 'CONFORMANCE_KEY_COMMAND', 'made')
    })

  const revokedKey = once(async () => {
    const variable = 'CONFORMANCE_REVOKED_KEY'
    if (given.revoked !== undefined) return note('revoked key', given.revoked, variable, 'given')
    const { id, secret } = await make('a revoked key', variable)
    await revoke(id)
    return note('revoked key', secret, 'CONFORMANCE_KEY_COMMAND', 'made and revoked')
  })

  const restricted = once(async () => {
    const variables = 'CONFORMANCE_RESTRICTED_KEY with CONFORMANCE_RESTRICTED_MODEL'
    const name = 'restricted key'
    if (given.restricted !== undefined) return note(name, given.restricted, variables, 'given')
    const listed = await models()
    const forbidden = listed.find((id) => id !== model) ?? model
    // Where one model is all there is, the key may use one that does not exist, and so not this one.
    const allowed = listed.includes(model) && forbidden !== model ? model : `${model}-of-no-one`
    const { secret } = await make('a key with restricted models', variables, { models: [allowed] })
    return note(
      name,
      { key: secret, model: forbidden },
      'CONFORMANCE_KEY_COMMAND',
      `made; not for ${forbidden}`,
    )
  })

  const limited = once(async () => {
    const variable = 'CONFORMANCE_LIMITED_KEY'
    const name = 'limited key'
    const limitOf = (limit: RequestLimit): string => `${limit.requests}/${limit.windowSeconds}`
    if (given.limited !== undefined) {
      const { limit } = options
      const told = limit === undefined ? 'given, its limit unknown' : `given, ${limitOf(limit)}`
      const value = { key: given.limited, ...(limit === undefined ? {} : { limit }) }
      return note(name, value, variable, told)
    }
    const { secret } = await make('a key whose limit may be used up', variable, { limit: MADE_LIMIT })
    const value = { key: secret, limit: MADE_LIMIT }
    return note(name, value, 'CONFORMANCE_KEY_COMMAND', `made, ${limitOf(MADE_LIMIT)}`)
  })

  const offered = async (asked: Promise<boolean>, reason: string): Promise<void> => {
    if (!(await asked)) throw new NotApplicable(reason)
  }

  return {
    baseUrl: options.baseUrl,
    profile: options.profile,
    model,
    key: options.key,
    token: options.token,
    models,
    echoes,
    deterministic,
    supports: async (field, members) => supports(field, members),
    requireEcho: () => offered(echoes(), 'the model does not echo'),
    requireDeterministic: () => offered(deterministic(), 'the model is not deterministic'),
    requireField: async (field, members) =>
      offered(supports(field, members), `the target refuses ${field} by name`),
    secondKey: keyOf('second key', 'a second key', 'CONFORMANCE_SECOND_KEY', given.second),
    revokedKey,
    restricted,
    limited,
    createKey: (key) => make('a key made during the run', 'CONFORMANCE_KEY_COMMAND', key),
    revokeKey: revoke,
    facts: () => facts,
    capabilities: () => [...capabilities.values()],
  }
}

/** Runs an asynchronous function at the first call; every call shares that result. */
function once<Value>(learn: () => Promise<Value>): () => Promise<Value> {
  let learned: Promise<Value> | undefined
  return () => (learned ??= learn())
}
