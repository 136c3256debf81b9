// The official `openai` library, unchanged, with base address, key and model set (SDK-1, SDK-2). It is one more
// client: what it cannot work with fails here, whichever other row says why.
import type OpenAI from 'openai'
import { type Case, type CaseContext, check } from '../../case.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { PROMPT } from '../requests/chat-calls.ts'
import { fakeText } from '../requests/failing.ts'
import { callsAtOnceCases } from './calls-at-once.ts'
import { client, loadLibrary, question, works } from './sdk-client.ts'
import { errorClassCases } from './sdk-errors.ts'

/** Calls that are in flight at once; fewer for a model that answers one after the other, or the last would come too late. */
const MANY_CALLS = 20
const SERIAL_CALLS = 6
const QUICK_CALLS = 2

/** The library found a text, or null; which one it should be is for other rows. */
function expectText(t: CaseContext, content: unknown): void {
  const right = typeof content === 'string' || content === null
  t.assert(right, { expected: 'content, a string or null', actual: show(content) })
}

/** Reads a stream to its end; the text of its first choice. */
async function streamedText(t: CaseContext, openai: OpenAI, content: string): Promise<string> {
  let text = ''
  let chunks = 0
  for await (const chunk of await openai.chat.completions.create({
    ...(await question(t, content)),
    stream: true,
  })) {
    chunks += 1
    text += chunk.choices[0]?.delta.content ?? ''
  }
  t.assert(chunks > 0, { expected: 'chunks', actual: 'none' })
  return text
}

/** Makes a call that a target may not offer: the format does not require the list. */
async function worksIfOffered<Result>(t: CaseContext, what: string, call: () => Promise<Result>) {
  return works(t, async () => {
    try {
      return await call()
    } catch (error) {
      const { APIError } = await loadLibrary()
      if (error instanceof APIError && [404, 405, 501].includes(Number(error.status)))
        t.notApplicable(`${what} is not offered`)
      throw error
    }
  })
}

export const cases: readonly Case[] = [
  check('sdk.create', 'SDK-1', '`create`').run(async (t) => {
    const completion = await works(t, async () =>
      (await client(t)).chat.completions.create(await question(t)),
    )
    expectText(t, at(completion, 'choices', 0, 'message', 'content'))
  }),
  check('sdk.create-stream', 'SDK-1', '`create` with `stream: true`').run(async (t) => {
    expectText(t, await works(t, async () => streamedText(t, await client(t), PROMPT)))
  }),
  check('sdk.stream-helper', 'SDK-1', 'the `.stream()` helper').run(async (t) => {
    const completion = await works(t, async () =>
      (await client(t)).chat.completions.stream(await question(t)).finalChatCompletion(),
    )
    expectText(t, at(completion, 'choices', 0, 'message', 'content'))
  }),
  check('sdk.models-list', 'SDK-1', '`models.list`').run(async (t: CaseContext) => {
    const list = async () => (await (await client(t)).models.list()).data.map((model) => at(model, 'id'))
    const ids = await (t.target.profile === 'wire' ? worksIfOffered(t, 'the list', list) : works(t, list))
    const strings = ids.length > 0 && ids.every((id) => typeof id === 'string')
    t.assert(strings, { expected: 'models with ids', actual: show(ids) })
  }),
  ...errorClassCases,
  check('sdk.abort-stream', 'SDK-1', 'a stream that is aborted after its first chunk, then another call').run(
    async (t) => {
      const openai = await client(t)
      await works(t, async () => {
        const stream = await openai.chat.completions.create({ ...(await question(t)), stream: true })
        for await (const _ of stream) stream.controller.abort()
      })
      const completion = await works(t, async () => openai.chat.completions.create(await question(t)))
      expectText(t, at(completion, 'choices', 0, 'message', 'content'))
    },
  ),
  check('sdk.many-calls', 'SDK-2', 'many calls in flight').run(async (t) => {
    const openai = await client(t)
    await everyCall(t, async (text) => {
      const completion = await openai.chat.completions.create(await question(t, text))
      return {
        content: at(completion, 'choices', 0, 'message', 'content'),
        promptTokens: at(completion, 'usage', 'prompt_tokens'),
      }
    })
  }),
  check('sdk.many-streams', 'SDK-2', 'many streams in flight')
    .with({ alwaysQuick: true })
    .run(async (t) => {
      const openai = await client(t)
      await everyCall(t, async (text) => ({ content: await streamedText(t, openai, text) }))
    }),
  ...callsAtOnceCases,
]

interface OwnAnswer {
  readonly content: unknown
  readonly promptTokens?: unknown
}

/**
 * Makes all calls at once, each with its own text. Every one is answered; on a model that echoes, with its own text, of
 * which a piece is enough: whether all of it comes back is for other rows. On another model each answer has the number of
 * prompt tokens that the same text has alone; the texts have different lengths.
 */
async function everyCall(t: CaseContext, call: (text: string) => Promise<OwnAnswer>): Promise<void> {
  const echoes = await t.target.echoes()
  const { pace } = t.target.plan()
  const isSlow = pace?.isSerial === true || pace?.isShared === true
  const texts = Array.from(
    { length: t.quick ? QUICK_CALLS : isSlow ? SERIAL_CALLS : MANY_CALLS },
    (_, at) => {
      const text = fakeText(t.seed, `call ${at}`)
      return echoes ? text : text + ' one two three'.repeat(at)
    },
  )
  const settled = await Promise.allSettled(texts.map(call))
  for (const [at, text] of texts.entries()) {
    const { content, promptTokens } = await works(t, async () => valueOf(settled[at]))
    const own = echoes
      ? String(content).includes(text.slice(16, 32))
      : typeof content === 'string' || content === null
    t.assert(own, { expected: echoes ? show(text) : 'a string or null', actual: show(content) })
    if (echoes || typeof promptTokens !== 'number') continue
    const alone = (await works(t, () => call(text))).promptTokens
    t.assert(promptTokens === alone, {
      expected: `prompt_tokens ${show(alone)}, as the same prompt has alone`,
      actual: show(promptTokens),
    })
  }
}

function valueOf<Value>(settled: PromiseSettledResult<Value> | undefined): Value {
  if (settled?.status === 'fulfilled') return settled.value
  throw settled?.reason
}
