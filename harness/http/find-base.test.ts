import { expect, test } from 'vitest'
import { madeExchange } from '../exchange.fixture.ts'
import { findBase } from './find-base.ts'

const LIST = { object: 'list', data: [{ id: 'm', object: 'model' }] }

/** The status and body of the answer at each path; any other path is answered with 404. */
type Answers = Readonly<Record<string, readonly [status: number, body?: unknown]>>

async function found(given: string, answers: Answers) {
  const asked: string[] = []
  const { baseUrl, list } = await findBase(given, async ({ path }) => {
    asked.push(path)
    const [status, body] = answers[path] ?? [404]
    return madeExchange({ path, status, body })
  })
  return { baseUrl, list: list.request.path, asked }
}

const MODELS = '/v1/models'

test.each<[what: string, answers: Answers]>([
  ['its models are listed under `/v1`', { [MODELS]: [200, LIST] }],
  // Pages and refusals at other paths say nothing.
  ['any other path has a page', { [MODELS]: [200, LIST], '/models': [200, '<html>'] }],
  ['any other path is refused', { [MODELS]: [200, LIST], '/models': [401], '/chat/completions': [401] }],
  ['its models are listed at both', { [MODELS]: [200, LIST], '/models': [200, LIST] }],
  ['it answers nowhere', {}],
  ['its key is refused', { [MODELS]: [401] }],
  [
    'its models alone are listed beside it',
    { '/models': [200, LIST], '/v1/chat/completions': [200, { choices: [] }] },
  ],
  ['every path refuses the key', { [MODELS]: [401], '/models': [401], '/chat/completions': [401] }],
  [
    'every path has a page',
    { [MODELS]: [200, '<html>'], '/models': [200, '<html>'], '/chat/completions': [200] },
  ],
  ['it allows another method alone', { [MODELS]: [401], '/models': [405], '/chat/completions': [405] }],
])('a service has its operations under `/v1` if %s', async (_, answers) => {
  expect(await found('http://h/x', answers)).toMatchObject({ baseUrl: 'http://h/x', list: MODELS })
})

test.each<[what: string, answers: Answers, asked: readonly string[]]>([
  ['lists its models', { '/models': [200, LIST] }, ['/models']],
  ['refuses the key', { '/models': [401] }, ['/models']],
  ['lists its models, and others refuse the key', { '/models': [200, LIST], [MODELS]: [401] }, ['/models']],
  ['fails', { '/models': [500] }, ['/models']],
  [
    'chats',
    { '/chat/completions': [200, { choices: [] }], [MODELS]: [400] },
    ['/models', '/chat/completions'],
  ],
  [
    'does not know the model',
    { '/chat/completions': [404, { error: { message: "no model 'm'" } }], '/models': [404] },
    ['/models', '/chat/completions'],
  ],
  ['refuses to chat', { '/chat/completions': [400, {}], '/models': [405] }, ['/models', '/chat/completions']],
])('an address at which the service %s is used as it is', async (_, answers, asked) => {
  expect(await found('http://h/x?a', answers)).toEqual({
    baseUrl: 'http://h/x/?a',
    list: '/models',
    asked: [MODELS, ...asked, '/v1/chat/completions'],
  })
})

test('an address with a version is used as it is, without a further request', async () => {
  expect(await found('http://h/api/v3', { '/models': [200, LIST] })).toEqual({
    baseUrl: 'http://h/api/v3',
    list: MODELS,
    asked: [MODELS],
  })
})
