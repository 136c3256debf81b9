import { expect, test } from 'vitest'
import { CAPABILITIES, namesField, smallestMembers } from '../contract/capabilities.ts'
import { type MadeExchange, madeExchange } from '../../harness/exchange.fixture.ts'
import type { KeyMaker, NewKeyOptions } from '../../harness/keys/key-command.ts'
import { type DiscoverOptions, discoverTarget } from './discover-target.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { Inconclusive, NotApplicable } from '../contract/outcome.ts'
import { at } from '../../harness/json-value.ts'

/** A target whose answers depend on the parsed body of each chat request, and what it was asked. */
function discover(answer: (body: unknown) => MadeExchange, more: Partial<DiscoverOptions> = {}) {
  const asked: RequestSpec[] = []
  let texts = 0
  const target = discoverTarget({
    baseUrl: 'http://127.0.0.1:8080',
    profile: 'service',
    model: 'm-1',
    key: 'main',
    learned: { key: 'CONFORMANCE_API_KEY', model: '--model' },
    given: {},
    async ask(request) {
      asked.push(request)
      const list = { data: [{ id: 'm-1' }, { id: 'm-2' }] }
      if (request.path === '/v1/models') return madeExchange({ body: list })
      return madeExchange(answer(JSON.parse(String(request.body))))
    },
    randomText: () => `random ${(texts += 1)}`,
    ...more,
  })
  return { target, asked }
}

const says = (content: unknown): MadeExchange => ({
  body: { choices: [{ index: 0, message: { role: 'assistant', content } }] },
})
const echo = (body: unknown): MadeExchange => says(at(body, 'messages', 0, 'content'))
const refuses = (field: string, message = 'Not supported.'): MadeExchange => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', code: 'unsupported', param: field } },
})

/** A key command that remembers what it made and revoked. */
function maker() {
  const made: NewKeyOptions[] = []
  const revoked: string[] = []
  const keyMaker: KeyMaker = {
    async create(options = {}) {
      made.push(options)
      return { id: `key_${made.length}`, secret: `secret-${made.length}` }
    },
    revoke: async (id) => void revoked.push(id),
    revokeAll: async () => {},
  }
  return { keyMaker, made, revoked }
}

test('sends nothing before a case needs a fact, and discovers each fact once', async () => {
  const { target, asked } = discover(echo)
  expect(asked).toEqual([])
  expect(await Promise.all([target.models(), target.models()])).toEqual([
    ['m-1', 'm-2'],
    ['m-1', 'm-2'],
  ])
  await Promise.all([target.supports('n'), target.supports('n')])
  const limits = asked.map(({ body = '{}' }) => at(JSON.parse(String(body)), 'max_tokens'))
  expect(limits).toEqual([undefined, 16, 32])
})

test.each([{ body: '<!doctype html>' }, { body: {} }, { body: '' }, { body: '{"choices":[{' }])(
  'a success that cannot be read shows no fact: %j',
  async (unread) => {
    const answers: MadeExchange[] = [unread]
    const { target } = discover((body) =>
      at(body, 'n') === undefined ? echo(body) : (answers.shift() ?? echo(body)),
    )
    await expect(target.supports('n')).rejects.toThrow(
      /could not be read: status 200, .*, which CHAT-1 judges$/,
    )
    expect(await target.supports('n')).toBe(true)
  },
)

test('a model echoes if it returns two random texts exactly', async () => {
  expect(await discover(echo).target.echoes()).toBe(true)
  expect(
    await discover((body) => says(`${String(at(body, 'messages', 0, 'content'))} `)).target.echoes(),
  ).toBe(false)
  expect(await discover(() => says('random 1')).target.echoes()).toBe(false)
  expect(await discover(() => ({ status: 500, body: '' })).target.echoes()).toBe(false)
})

test('a text that comes back with more around it is reported as such', async () => {
  const reported = async (answer: (body: unknown) => MadeExchange) => {
    const { target } = discover(answer)
    await target.echoes()
    return target.capabilities().find(({ name }) => name === 'echo')?.learned
  }
  expect(await reported((body) => says(`You said: ${String(at(body, 'messages', 0, 'content'))}`))).toBe(
    'a random text came back, but not as the whole answer',
  )
  expect(await reported(() => says('hello'))).toBe('a random text did not come back')
})

test('an answer is kept short if possible, except for a model that echoes', async () => {
  const talks = discover(() => says('words without end'))
  expect(await talks.target.brief()).toEqual({ max_tokens: 32 })
  expect(await talks.target.brief(400)).toEqual({ max_tokens: 400 })
  const unlimited = talks.asked.filter(({ body }) => at(JSON.parse(String(body)), 'max_tokens') === undefined)
  expect(unlimited).toEqual([])

  expect(await discover(echo).target.brief()).toEqual({})
  const refusing = discover((body) =>
    at(body, 'max_tokens') === undefined ? says('a') : refuses('max_tokens'),
  )
  expect(await refusing.target.brief()).toEqual({ max_completion_tokens: 32 })
  const unbounded = discover((body) => {
    const field = ['max_tokens', 'max_completion_tokens'].find((name) => at(body, name) !== undefined)
    return field === undefined ? says('a') : refuses(field)
  })
  expect(await unbounded.target.brief()).toEqual({})
  const silent = discover(echo, { ask: () => Promise.reject(new Inconclusive('no answer')) })
  expect(await silent.target.brief()).toEqual({})
})

test('a limit that cuts too early, or that breaks the answer, does not hide an echo', async () => {
  const limited = (broken: (content: string) => MadeExchange) =>
    discover((body) => {
      const content = String(at(body, 'messages', 0, 'content'))
      return at(body, 'max_tokens') === undefined ? says(content) : broken(content)
    })
  expect(await limited((content) => says(content.slice(0, 3))).target.echoes()).toBe(true)
  expect(await limited(() => ({ status: 500, body: '' })).target.echoes()).toBe(true)
  expect(await limited(() => says('else')).target.echoes()).toBe(false)
})

test('a model is deterministic if it gives the same answer three times, with or without a temperature', async () => {
  let count = 0
  expect(await discover(echo).target.deterministic()).toBe(true)
  expect(await discover(() => says(`${(count += 1) === 3}`)).target.deterministic()).toBe(false)
  expect(await discover(() => says(null)).target.deterministic()).toBe(false)
  const noTemperature = discover((body) =>
    at(body, 'temperature') === undefined ? says('a') : refuses('temperature'),
  )
  expect(await noTemperature.target.deterministic()).toBe(true)
})

test('a field is refused only by a 400 that names it', async () => {
  const offered = (answer: MadeExchange): Promise<boolean> => discover(() => answer).target.supports('n')
  expect(await offered(says('a'))).toBe(true)
  expect(await offered(refuses('n'))).toBe(false)
  expect(await offered(refuses('', 'Unknown argument: n'))).toBe(false)
  expect(await offered(refuses('', 'No such thing.'))).toBe(true)
  expect(await offered({ status: 500, body: '' })).toBe(true)
  expect(await offered({ ...refuses('n'), status: 422 })).toBe(true)
})

test.each([
  ['n', { param: 'n', message: '' }, true],
  ['n', { param: 'nn', message: 'none' }, false],
  ['n', { param: null, message: "'n' is not supported" }, true],
  ['stop', { param: 'stop[0]', message: '' }, true],
  ['response_format', { param: 'response_format.type', message: '' }, true],
  ['tools', { param: null, message: 'tools_list is odd' }, false],
  ['seed', { param: 'body.seed', message: '' }, true],
  ['image_url', { param: 'messages[0].content[1]', message: '' }, true],
  ['max_tokens', { param: null, message: 'use max_completion_tokens instead of max_tokens' }, true],
])('%s is named by %j: %s', (field, error, named) => {
  expect(namesField(madeExchange({ status: 400, body: { error } }), field)).toBe(named)
})

test('every capability except those of a model has a smallest request', () => {
  const missing = CAPABILITIES.filter((name) => smallestMembers(name) === undefined)
  expect(missing).toEqual(['echo', 'deterministic'])
})

test('a refused capability ends a case as not applicable, and is reported', async () => {
  const { target } = discover(() => refuses('n'))
  await expect(target.requireField('n')).rejects.toThrow(NotApplicable)
  await expect(target.requireEcho()).rejects.toThrow(NotApplicable)
  await expect(target.requireDeterministic()).rejects.toThrow(NotApplicable)
  const offered = target.capabilities().map(({ name, offered }) => [name, offered])
  expect(offered).toEqual([
    ['max_tokens', true],
    ['n', false],
    ['echo', false],
    ['deterministic', false],
  ])
})

test('without keys, rows are inconclusive and name the variable that they need', async () => {
  const { target } = discover(echo)
  for (const [asked, variable] of [
    [target.secondKey, 'CONFORMANCE_SECOND_KEY'],
    [target.revokedKey, 'CONFORMANCE_REVOKED_KEY'],
    [target.restricted, 'CONFORMANCE_RESTRICTED_KEY'],
    [target.limited, 'CONFORMANCE_LIMITED_KEY'],
    [target.createKey, 'CONFORMANCE_KEY_COMMAND'],
  ] as const) {
    await expect(asked()).rejects.toThrow(Inconclusive)
    await expect(asked()).rejects.toThrow(variable)
  }
})

test('uses the given keys', async () => {
  const given = {
    second: 's',
    revoked: 'r',
    restricted: { key: 'k', model: 'm-2' },
    limited: 'l',
  }
  const { target } = discover(echo, { given, limit: { requests: 5, windowSeconds: 2 } })
  expect(await target.secondKey()).toBe('s')
  expect(await target.revokedKey()).toBe('r')
  expect(await target.restricted()).toEqual({ key: 'k', model: 'm-2' })
  expect(await target.limited()).toEqual({ key: 'l', limit: { requests: 5, windowSeconds: 2 } })
  expect(JSON.stringify(target.facts())).not.toMatch(/"(s|r|k|l|main)"/)
})

/** Lists m-1 alone for a key that is not the main one. */
async function restrictingAsk({ path, authorization }: RequestSpec) {
  const ids = authorization === undefined ? ['m-1', 'm-2'] : ['m-1']
  if (path === '/v1/models') return madeExchange({ body: { data: ids.map((id) => ({ id })) } })
  throw new Error('unexpected request')
}

test('makes missing keys, each once', async () => {
  const { keyMaker, made, revoked } = maker()
  const { target } = discover(echo, { keyMaker, ask: restrictingAsk })
  expect([await target.secondKey(), await target.secondKey()]).toEqual(['secret-1', 'secret-1'])
  expect(await target.revokedKey()).toBe('secret-2')
  expect(revoked).toEqual(['key_2'])
  expect(await target.restricted()).toEqual({ key: 'secret-3', model: 'm-2' })
  const { limit } = await target.limited()
  expect(made).toEqual([
    { by: 'a second key' },
    { by: 'a revoked key' },
    { by: 'a key with restricted models', models: ['m-1'] },
    { by: 'a key whose limit may be exhausted', limit },
  ])
})

test('reports a key command that ignores --models, and uses none of its keys as restricted', async () => {
  const { keyMaker } = maker()
  const { target } = discover(echo, { keyMaker })
  await expect(target.restricted()).rejects.toThrow(/the key command ignores --models: .* m-1 lists m-2/)
  await expect(target.restricted()).rejects.toThrow(Inconclusive)
})

test('does not blame the key command for a list of models that the key may not use', async () => {
  const { keyMaker } = maker()
  const { target } = discover(echo, {
    keyMaker,
    ask: async ({ path }) =>
      path === '/v1/models'
        ? madeExchange({ body: { data: [{ id: 'm-1' }, { id: 'm-2' }] } })
        : madeExchange({ status: 404, body: '' }),
  })
  expect(await target.restricted()).toMatchObject({ model: 'm-2' })
})

test('with a single model, the restricted key may use one that does not exist', async () => {
  const { keyMaker, made } = maker()
  const ask = async ({ authorization }: RequestSpec): Promise<ReturnType<typeof madeExchange>> =>
    madeExchange({ body: { data: authorization === undefined ? [{ id: 'm-1' }] : [] } })
  const { target } = discover(echo, { keyMaker, ask })
  expect((await target.restricted()).model).toBe('m-1')
  expect(made[0]?.models).not.toContain('m-1')
})
