// Runs concurrent streams of chat completions. Measures tokens per second over all of them, and the time to the first
// text of each answer.
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface StreamLoad {
  /** The base URL, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly model: string
  readonly streams: number
  /** Answers that each stream requests, one after another. */
  readonly answers: number
  /** The most tokens of an answer. */
  readonly tokens: number
  /** Makes the prompts of each run different: a server may have cached those of another run. */
  readonly run: number
  /** The prompt of one answer. Default: a short one that contains its name. */
  prompt?(name: string): Prompt
}

export interface Prompt {
  readonly system: string
  readonly user: string
}

export type StreamFigures = Awaited<ReturnType<typeof runStreams>>

/** Rejects with the first answer that is not a 200 or is incomplete. */
export async function runStreams(load: StreamLoad) {
  const started = performance.now()
  const all: Awaited<ReturnType<typeof readAnswer>>[] = []
  await Promise.all(
    Array.from({ length: load.streams }, async (_, stream) => {
      for (let answer = 0; answer < load.answers; answer += 1)
        all.push(await readAnswer(load, `${load.run}.${stream + 1}.${answer + 1}`))
    }),
  )
  const seconds = (performance.now() - started) / 1000
  return {
    tokensPerSecond: all.reduce((sum, { tokens }) => sum + tokens, 0) / seconds,
    /** Milliseconds to the first piece of text, of each answer. */
    firstTokenMs: all.map(({ firstTokenMs }) => firstTokenMs),
    /** Tokens of the prompt of each answer, as the server counts them. */
    promptTokens: all.map(({ promptTokens }) => promptTokens),
  }
}

const story = (name: string): Prompt => ({
  system: 'You write long stories in plain words, and never stop early.',
  user: `Write the story of stone number ${name}.`,
})

async function readAnswer({ url, key, model, tokens, prompt = story }: StreamLoad, name: string) {
  const { system, user } = prompt(name)
  const body = JSON.stringify({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    temperature: 0,
    max_tokens: tokens,
    stream: true,
    stream_options: { include_usage: true },
  })
  const started = performance.now()
  const response = await send(`${url}/v1/chat/completions`, key, body)
  let firstTokenMs: number | undefined
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (firstTokenMs === undefined && /"content":"[^"]/.test(text)) firstTokenMs = performance.now() - started
  }
  const [counted, promptTokens] = ['completion', 'prompt'].map(
    (kind) => new RegExp(`"${kind}_tokens":(\\d+)`).exec(text)?.[1],
  )
  if (response.statusCode !== 200 || counted === undefined) {
    throw new Error(`${url} gave no whole answer: ${response.statusCode} ${text.slice(-300)}`)
  }
  // A token may be an incomplete character, so an answer may have tokens and no text.
  return {
    tokens: Number(counted),
    firstTokenMs: firstTokenMs ?? performance.now() - started,
    promptTokens: Number(promptTokens),
  }
}

/** Attempts to connect: llama-server sometimes closes a new connection under load. */
const ATTEMPTS = 5
const RETRY_MS = 100

/** Each answer has a connection of its own: servers differ in when they close an idle one. */
async function send(url: string, key: string, body: string, attempt = 1): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request(url, { method: 'POST', agent: false, headers }, resolve).on('error', reject).end(body)
  return promise.catch(async (error: unknown) => {
    if (attempt === ATTEMPTS) throw error
    await sleep(RETRY_MS)
    return send(url, key, body, attempt + 1)
  })
}
