// The keys of a run beside the main one: given, or made with the key command when a case first needs them.
import {
  type KeyMaker,
  KeyCommandError,
  type MadeKey,
  type NewKeyOptions,
} from '../../harness/keys/key-command.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { memoize } from '../../harness/memoize.ts'
import { Inconclusive } from '../contract/outcome.ts'
import { listedModels } from '../../harness/http/find-base.ts'
import { smallestChats } from './listed-models.ts'
import type { GivenKeys, Target } from '../contract/target.ts'
import type { RequestLimit } from '../../harness/target-facts.ts'

/** The limit of a limited key that the judge makes without a given limit: soon exhausted and soon renewed. */
const MADE_LIMIT: RequestLimit = { requests: 2, windowSeconds: 1 }

export interface DiscoverKeysOptions {
  readonly model: string
  readonly given: GivenKeys
  readonly limit?: RequestLimit | undefined
  readonly keyMaker?: KeyMaker | undefined
  readonly models: () => Promise<readonly string[]>
  /** Sends a request for the run as a whole, with the main key unless set; obeys 429s. */
  readonly ask: (request: RequestSpec) => Promise<Exchange>
  /** Records a fact for the report, which shows it as `shown`; returns its value. */
  readonly note: <Value>(name: string, value: Value, learned: string, shown: string) => Value
}

/** The keys of a target. No key is made before a case asks for it. */
export function discoverKeys(
  options: DiscoverKeysOptions,
): Pick<Target, 'secondKey' | 'revokedKey' | 'restricted' | 'limited' | 'createKey' | 'revokeKey'> {
  const { model, given, limit, keyMaker, models, ask, note } = options
  async function make(what: string, variable: string, key?: NewKeyOptions): Promise<MadeKey> {
    if (keyMaker === undefined) {
      const command = 'CONFORMANCE_KEY_COMMAND'
      const both = variable === command ? command : `${variable} or ${command}`
      throw new Inconclusive(`${what} is needed: set ${both}`, both)
    }
    return orInconclusive(keyMaker.create({ by: what, ...key }))
  }

  const revoke = async (id: string): Promise<void> =>
    orInconclusive(keyMaker?.revoke(id) ?? Promise.resolve())

  /** Returns whether a key may use a model: the list of models has it, and a chat with it succeeds. */
  async function mayUse(secret: string, id: string): Promise<boolean> {
    const authorization = `Bearer ${secret}`
    const list = await ask({ path: '/v1/models', authorization })
    if (!listedModels(list).includes(id)) return false
    for (const request of smallestChats(id)) {
      const { status } = (await ask({ ...request, authorization })).response
      if (status !== 400) return status === 200
    }
    return false
  }

  /** Returns the given key `own`, or the one that `made` creates at the first call, with its text for the report. */
  const discover = <Value>(
    name: string,
    variable: string,
    own: Value | undefined,
    made: (variable: string) => Promise<readonly [value: Value, shown: string]>,
  ): (() => Promise<Value>) =>
    memoize(async () => {
      if (own !== undefined) return note(name, own, variable, 'given')
      const [value, shown] = await made(variable)
      return note(name, value, 'CONFORMANCE_KEY_COMMAND', shown)
    })

  const secondKey = discover('second key', 'CONFORMANCE_SECOND_KEY', given.second, async (variable) => {
    const { secret } = await make('a second key', variable)
    return [secret, 'made']
  })

  const revokedKey = discover('revoked key', 'CONFORMANCE_REVOKED_KEY', given.revoked, async (variable) => {
    const { id, secret } = await make('a revoked key', variable)
    await revoke(id)
    return [secret, 'made and revoked']
  })

  const both = 'CONFORMANCE_RESTRICTED_KEY with CONFORMANCE_RESTRICTED_MODEL'
  const restricted = discover('restricted key', both, given.restricted, async (variables) => {
    const listed = await models()
    const forbidden = listed.find((id) => id !== model) ?? model
    // If there is only one model, the key is made for a model that does not exist, and so may not use this one.
    const allowed = listed.includes(model) && forbidden !== model ? model : `${model}-of-no-one`
    const { secret } = await make('a key with restricted models', variables, { models: [allowed] })
    if (await mayUse(secret, forbidden))
      throw new Inconclusive(
        `the key command ignores --models: a key made with --models ${allowed} lists ${forbidden} and may use it`,
        variables,
      )
    return [{ key: secret, model: forbidden }, `made; not for ${forbidden}`]
  })

  const limited = memoize(async () => {
    const variable = 'CONFORMANCE_LIMITED_KEY'
    const name = 'limited key'
    const limitOf = (limit: RequestLimit): string => `${limit.requests}/${limit.windowSeconds}`
    if (given.limited !== undefined) {
      const shown = limit === undefined ? 'given, its limit unknown' : `given, ${limitOf(limit)}`
      const value = { key: given.limited, ...(limit === undefined ? {} : { limit }) }
      return note(name, value, variable, shown)
    }
    const own = limit ?? MADE_LIMIT
    const { secret } = await make('a key whose limit may be exhausted', variable, { limit: own })
    const value = { key: secret, limit: own, isMade: true } as const
    return note(name, value, 'CONFORMANCE_KEY_COMMAND', `made, ${limitOf(own)}`)
  })

  return {
    secondKey,
    revokedKey,
    restricted,
    limited,
    createKey: (key) => make('a key made during the run', 'CONFORMANCE_KEY_COMMAND', key),
    revokeKey: revoke,
  }
}

/** A failure of the key command leaves a row unjudged. */
async function orInconclusive<Value>(commanded: Promise<Value>): Promise<Value> {
  try {
    return await commanded
  } catch (error) {
    if (error instanceof KeyCommandError) throw new Inconclusive(error.message, 'CONFORMANCE_KEY_COMMAND')
    throw error
  }
}
