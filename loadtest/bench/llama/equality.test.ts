// With the same file, the same prompts and greedy sampling, this server answers as llama-server does, except for ties that
// the order of additions decides. LLAMA_SERVER_BIN names llama-server; `npx touchstone model` downloads the file.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stopAll } from '../bench-processes.ts'
import { type Running, startLlamaServer, startOurs } from './llama-servers.ts'

const MODEL = fileURLToPath(new URL('../../../models/SmolLM2-135M-Instruct.Q4_1.gguf', import.meta.url))

/**
 * The two servers add in a different order, in numbers of 8 and 16 bits, so log-probabilities differ slightly (measured:
 * up to 0.11). Two tokens closer to each other than this are a tie.
 */
const TIE = 0.2

const PROMPTS = [
  'What is the capital of France?',
  'Write a short story about a stone that was too heavy to carry.',
  'Count from one to twenty in words.',
  'Explain in two sentences why the sky is blue.',
  'Write a function in Python that adds two numbers.',
  'Translate into English: Der Stein liegt auf dem Weg.',
  'List five colours, one on each line.',
  'What is 17 times 3? Show how you find it.',
  'Write a polite letter that asks for a day of holiday.',
  'Why do people test gold on a dark stone? '.repeat(8),
]

const binary = process.env['LLAMA_SERVER_BIN']

describe('the likeliest answer', { tags: ['llama', 'llama-server'], timeout: 120_000 }, () => {
  const servers: Running[] = []
  beforeAll(async () => {
    const setup = { file: MODEL, threads: 1, slots: 1, contextTokens: 1024 }
    servers.push(await startOurs(setup), await startLlamaServer(binary ?? '', setup))
  }, 120_000)
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    stopAll()
  })

  it.each(PROMPTS)('is that of llama-server: %s', async (prompt) => {
    const [ours, theirs] = await Promise.all(servers.map((server) => ask(server, prompt)))
    if (ours === undefined || theirs === undefined) throw new Error('there are two servers')
    expect(ours.promptTokens).toBe(theirs.promptTokens)
    const differs = ours.tokens.findIndex(({ token }, index) => token !== theirs.tokens[index]?.token)
    const same = differs === -1 ? ours.tokens.length : differs
    for (let index = 0; index < same; index += 1) {
      const [one, other] = [ours.tokens[index]?.logprob ?? NaN, theirs.tokens[index]?.logprob ?? NaN]
      expect(Math.abs(one - other), `the log-probability of token ${index}`).toBeLessThan(TIE)
    }
    if (differs === -1) {
      // llama-server lists the token that ends the answer, too.
      expect(theirs.tokens.length - same).toBeLessThanOrEqual(1)
      expect(ours.text).toBe(theirs.text)
      return
    }
    const [mine, yours] = [ours.tokens[differs], theirs.tokens[differs]]
    if (mine === undefined || yours === undefined) throw new Error('one answer ends before the other')
    const gaps = [gap(mine, mine.token, yours.token), gap(yours, yours.token, mine.token)]
    console.log(
      `a tie at token ${differs}: '${mine.token}' or '${yours.token}', ${gaps.map((one) => one.toFixed(4)).join(' and ')} apart`,
    )
    for (const one of gaps) expect(one).toBeLessThan(TIE)
  })
})

interface Entry {
  readonly token: string
  readonly logprob: number
  readonly top_logprobs: readonly { readonly token: string; readonly logprob: number }[]
}

/** The difference of the log-probabilities of `first` and `second`. */
function gap({ top_logprobs: top }: Entry, first: string, second: string): number {
  const [one, other] = [first, second].map((name) => top.find(({ token }) => token === name)?.logprob ?? NaN)
  return (one ?? NaN) - (other ?? NaN)
}

interface AnswerBody {
  readonly choices: readonly [
    {
      readonly message: { readonly content: string }
      readonly logprobs: { readonly content: readonly Entry[] }
    },
  ]
  readonly usage: { readonly prompt_tokens: number }
}

interface Compared {
  readonly text: string
  readonly promptTokens: number
  readonly tokens: readonly Entry[]
}

async function ask({ url, key, model }: Running, content: string): Promise<Compared> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content }],
      temperature: 0,
      max_tokens: 64,
      logprobs: true,
      top_logprobs: 5,
    }),
  })
  expect(response.status).toBe(200)
  const body = (await response.json()) as AnswerBody
  const [{ message, logprobs }] = body.choices
  return { text: message.content, promptTokens: body.usage.prompt_tokens, tokens: logprobs.content }
}
