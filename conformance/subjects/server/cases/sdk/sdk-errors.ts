// The library's error classes: one for each status of a refusal (SDK-1).
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { type Verifier, showBody } from '../../../../../harness/verify/verify.ts'
import { fakeKey, fakeWord } from '../requests/failing.ts'
import { client, describe, loadLibrary, question, throwOwn } from './sdk-client.ts'

/** The error classes of the library by their names. */
type Library = Pick<
  Awaited<ReturnType<typeof loadLibrary>>,
  'BadRequestError' | 'AuthenticationError' | 'NotFoundError'
>

type LibraryCall = (t: CaseContext) => Promise<unknown>

const errorClasses: Variants<[status: number, type: keyof Library, call: LibraryCall]> = {
  'bad-request-error': [
    'no messages',
    400,
    'BadRequestError',
    async (t) => (await client(t)).chat.completions.create({ model: t.target.model, messages: [] }),
  ],
  'authentication-error': [
    'an unknown key',
    401,
    'AuthenticationError',
    async (t) => (await client(t, fakeKey(t.seed, 'library'))).chat.completions.create(await question(t)),
  ],
  'not-found-error': [
    'an unknown model',
    404,
    'NotFoundError',
    async (t) =>
      (await client(t)).chat.completions.create({
        ...(await question(t)),
        model: fakeWord(t.seed, 'library'),
      }),
  ],
}

/** Returns the error of a call. Not applicable if the answer has another status, which other rows judge. */
async function thrownBy(t: CaseContext, status: number, call: LibraryCall): Promise<unknown> {
  try {
    await call(t)
  } catch (error) {
    throwOwn(t, error)
    const got = at(error, 'status')
    if (typeof got === 'number' && got !== status)
      t.notApplicable(`the answer has status ${got}, not ${status}`)
    return error
  }
  t.notApplicable(`the call is not refused with ${status}`)
}

/** Members of an error that libraries hold for text or null: some of them declare that type. */
const TEXT_OR_NULL = ['code', 'type', 'param'] as const

/** The error is an object with a message, and its other members have the types that libraries declare. */
const readableError: Verifier = (exchange) => {
  const error = at(json(exchange), 'error')
  if (typeof at(error, 'message') !== 'string')
    return { expected: 'error, an object with a message', actual: showBody(exchange) }
  const odd = TEXT_OR_NULL.find(
    (name) => !['string', 'undefined'].includes(typeof (at(error, name) ?? undefined)),
  )
  return odd && { expected: `error.${odd}, a string or null`, actual: show(at(error, odd)) }
}

/** The official libraries still throw their class for such an error, without its message or code: a warning. */
const membersCase = check(
  'sdk.error-members',
  'SDK-1',
  'the members of an error, as client libraries declare them',
)
  .with({ level: 'SHOULD' })
  .run(async (t: CaseContext) => {
    if (t.target.profile !== 'wire') t.notApplicable('ERR-1 judges it in profile service')
    const refusals = [
      await t.chat({ messages: [] }),
      await t.send({ path: '/v1/models', authorization: `Bearer ${fakeKey(t.seed, 'members')}` }),
    ].filter(({ response: { status } }) => status >= 400 && status < 500)
    if (refusals.length === 0) t.notApplicable('neither of two invalid requests is refused')
    for (const exchange of refusals) t.expect(exchange, readableError)
  })

/** Requests that services refuse, each for another reason: some take all but the last. */
const refusedRequests: readonly Members[] = [
  { messages: 'Say hello.' },
  { messages: [{ role: 'user', content: 5 }] },
  { temperature: 'warm' },
  { messages: undefined },
  { model: 5 },
]

/** The library reads message, type and code in `error`: an error with another body has none of them. */
const messageCase = check(
  'sdk.error-message',
  'SDK-1',
  'the message of an error, as the official library reads it',
)
  .with({ level: 'SHOULD' })
  .run(async (t: CaseContext) => {
    if (t.target.profile !== 'wire') t.notApplicable('ERR-1 judges it in profile service')
    const library = await client(t)
    let refusals = 0
    for (const members of refusedRequests) {
      const error = await library
        .post('/chat/completions', { body: { ...(await question(t)), ...members } })
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
      throwOwn(t, error)
      const got = Number(at(error, 'status'))
      if (!(got >= 400 && got < 500)) continue
      refusals += 1
      const mismatch = { expected: 'an error object with a message', actual: describe(error) }
      t.assert(typeof at(error, 'error', 'message') === 'string', mismatch)
    }
    if (refusals === 0) t.notApplicable('none of several invalid requests is refused')
  })

const classCases = checkEach('sdk.*', 'SDK-1', 'the error class of *', errorClasses).run(
  async (t: CaseContext, status, type, call) => {
    const error = await thrownBy(t, status, call)
    const { [type]: expected } = await loadLibrary()
    t.assert(error instanceof expected, { expected: type, actual: describe(error) })
  },
)

export const errorClassCases: readonly Case[] = [...classCases, membersCase, messageCase]
