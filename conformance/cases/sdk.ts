// The official `openai` library, unchanged, with base address, key and model set (SDK-1, SDK-2). It is one more
// client: what it cannot work with fails here, whichever other row says why.
import OpenAI from 'openai'
import { type Case, type CaseContext, defineCase } from '../case.ts'
import { CheckFailure, Inconclusive, NotApplicable, TransportError } from '../signals.ts'
import { at, show } from '../verify.ts'
import { madeUpKey, madeUpText, madeUpWord } from './made-up.ts'

const PROMPT = 'Say hello.'

/** Calls that are in flight at once. */
const MANY_CALLS = 20

/** The library refuses an empty key: this goes to a target that needs none. */
const NO_KEY = 'none'

type Messages = { role: 'user'; content: string }[]

/** The library as a user would set it up, but that every exchange is recorded, and retries are the judge's own. */
function client(t: CaseContext, apiKey = t.target.key): OpenAI {
  return new OpenAI({
    baseURL: `${t.target.baseUrl}/v1`,
    apiKey: apiKey === '' ? NO_KEY : apiKey,
    // Nothing of the judge's own environment reaches the target.
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: t.fetch,
  })
}

function question(t: CaseContext, content = PROMPT): { model: string; messages: Messages } {
  return { model: t.target.model, messages: [{ role: 'user', content }] }
}

/** Lets the library work; what it throws is a failure, unless no answer came or the case has ended itself. */
async function works<Result>(t: CaseContext, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throwOwn(t, error)
    t.assert(false, { expected: 'a call that works', actual: describe(error) })
    throw error
  }
}

const signals = [CheckFailure, Inconclusive, NotApplicable, TransportError]

/** Throws what the judge itself has thrown, from under the errors that the library has wrapped it in. */
function throwOwn(t: CaseContext, error: unknown): void {
  t.signal.throwIfAborted()
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (signals.some((signal) => cause instanceof signal)) throw cause
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.constructor.name}: ${error.message}` : show(error)
}

/** The library found a text, or null; which one it should be is for other rows. */
function expectText(t: CaseContext, content: unknown): void {
  const right = typeof content === 'string' || content === null
  t.assert(right, { expected: 'content, a string or null', actual: show(content) })
}

/** Reads a stream to its end; the text of its first choice. */
async function streamedText(t: CaseContext, openai: OpenAI, content: string): Promise<string> {
  let text = ''
  let chunks = 0
  for await (const chunk of await openai.chat.completions.create({ ...question(t, content), stream: true })) {
    chunks += 1
    text += chunk.choices[0]?.delta.content ?? ''
  }
  t.assert(chunks > 0, { expected: 'chunks', actual: 'none' })
  return text
}

interface ErrorClass {
  readonly slug: string
  readonly title: string
  readonly status: number
  readonly type: abstract new (...args: never[]) => Error
  call(t: CaseContext): Promise<unknown>
}

const errorClasses: readonly ErrorClass[] = [
  {
    slug: 'bad-request-error',
    title: 'no messages',
    status: 400,
    type: OpenAI.BadRequestError,
    call: (t) => client(t).chat.completions.create({ model: t.target.model, messages: [] }),
  },
  {
    slug: 'authentication-error',
    title: 'a key that nobody has',
    status: 401,
    type: OpenAI.AuthenticationError,
    call: (t) => client(t, madeUpKey(t.seed, 'library')).chat.completions.create(question(t)),
  },
  {
    slug: 'not-found-error',
    title: 'an unknown model',
    status: 404,
    type: OpenAI.NotFoundError,
    call: (t) => client(t).chat.completions.create({ ...question(t), model: madeUpWord(t.seed, 'library') }),
  },
]

/** What a call throws. Not applicable where the answer has another status, which other rows judge. */
async function thrownBy(t: CaseContext, { status, call }: ErrorClass): Promise<unknown> {
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

/** WIRE-16 is a SHOULD, and the list is no part of the format: a target may do without. */
function notOffered(error: unknown): boolean {
  return error instanceof OpenAI.APIError && [404, 405, 501].includes(Number(error.status))
}

export const cases: readonly Case[] = [
  defineCase({
    id: 'sdk.create',
    requirement: 'SDK-1',
    title: '`create`',
    async run(t) {
      const completion = await works(t, () => client(t).chat.completions.create(question(t)))
      expectText(t, at(completion, 'choices', 0, 'message', 'content'))
    },
  }),
  defineCase({
    id: 'sdk.create-stream',
    requirement: 'SDK-1',
    title: '`create` with `stream: true`',
    async run(t) {
      expectText(t, await works(t, () => streamedText(t, client(t), PROMPT)))
    },
  }),
  defineCase({
    id: 'sdk.stream-helper',
    requirement: 'SDK-1',
    title: 'the `.stream()` helper',
    async run(t) {
      const completion = await works(t, () =>
        client(t).chat.completions.stream(question(t)).finalChatCompletion(),
      )
      expectText(t, at(completion, 'choices', 0, 'message', 'content'))
    },
  }),
  defineCase({
    id: 'sdk.models-list',
    requirement: 'SDK-1',
    title: '`models.list`',
    async run(t: CaseContext) {
      const ids = await works(t, async () => {
        try {
          return (await client(t).models.list()).data.map((model) => at(model, 'id'))
        } catch (error) {
          if (t.target.profile === 'wire' && notOffered(error)) t.notApplicable('the list is not offered')
          throw error
        }
      })
      const strings = ids.length > 0 && ids.every((id) => typeof id === 'string')
      t.assert(strings, { expected: 'models with ids', actual: show(ids) })
    },
  }),
  defineCase({
    id: 'sdk.models-retrieve',
    requirement: 'SDK-1',
    title: '`models.retrieve`',
    async run(t: CaseContext) {
      const model = await works(t, async () => {
        try {
          return await client(t).models.retrieve(t.target.model)
        } catch (error) {
          if (notOffered(error)) t.notApplicable('the record of a model is not offered, which WIRE-16 judges')
          throw error
        }
      })
      const id = at(model, 'id')
      t.assert(id === t.target.model, { expected: show(t.target.model), actual: show(id) })
    },
  }),
  ...errorClasses.map((errorClass) =>
    defineCase({
      id: `sdk.${errorClass.slug}`,
      requirement: 'SDK-1',
      title: `the error class of ${errorClass.title}`,
      async run(t: CaseContext) {
        const error = await thrownBy(t, errorClass)
        const right = error instanceof errorClass.type
        t.assert(right, { expected: errorClass.type.name, actual: describe(error) })
      },
    }),
  ),
  defineCase({
    id: 'sdk.abort-stream',
    requirement: 'SDK-1',
    title: 'a stream that is aborted after its first chunk, then another call',
    async run(t) {
      const openai = client(t)
      await works(t, async () => {
        const stream = await openai.chat.completions.create({ ...question(t), stream: true })
        for await (const _ of stream) stream.controller.abort()
      })
      const completion = await works(t, () => openai.chat.completions.create(question(t)))
      expectText(t, at(completion, 'choices', 0, 'message', 'content'))
    },
  }),
  defineCase({
    id: 'sdk.many-calls',
    requirement: 'SDK-2',
    title: `${MANY_CALLS} calls in flight`,
    async run(t) {
      const openai = client(t)
      await everyCall(t, async (text) => {
        const completion = await openai.chat.completions.create(question(t, text))
        return at(completion, 'choices', 0, 'message', 'content')
      })
    },
  }),
  defineCase({
    id: 'sdk.many-streams',
    requirement: 'SDK-2',
    title: `${MANY_CALLS} streams in flight`,
    async run(t) {
      const openai = client(t)
      await everyCall(t, (text) => streamedText(t, openai, text))
    },
  }),
]

/**
 * Makes all calls at once, each with its own text. Every one is answered; on a model that echoes, with its own text, of
 * which a piece is enough: whether all of it comes back is for other rows.
 */
async function everyCall(t: CaseContext, call: (text: string) => Promise<unknown>): Promise<void> {
  const echoes = await t.target.echoes()
  const texts = Array.from({ length: MANY_CALLS }, (_, at) => madeUpText(t.seed, `call ${at}`))
  const settled = await Promise.allSettled(texts.map(call))
  for (const [at, text] of texts.entries()) {
    const content = await works(t, async () => valueOf(settled[at]))
    const own = echoes
      ? String(content).includes(text.slice(16, 32))
      : typeof content === 'string' || content === null
    t.assert(own, { expected: echoes ? show(text) : 'a string or null', actual: show(content) })
  }
}

function valueOf(settled: PromiseSettledResult<unknown> | undefined): unknown {
  if (settled?.status === 'rejected') throw settled.reason
  return settled?.value
}
