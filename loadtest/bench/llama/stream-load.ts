// Runs concurrent streams of chat completions. Measures tokens per second over all of them, and the time to the first
// text of each answer.
import { Agent, type IncomingMessage, request } from 'node:http'
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

export interface StreamFigures {
  readonly tokensPerSecond: number
  /** Milliseconds to the first piece of text, of each answer. */
  readonly firstTokenMs: readonly number[]
  /** Tokens of the prompt of each answer, as the server counts them. */
  readonly promptTokens: readonly number[]
}

/** Rejects with the first answer that is not a 200 or is incomplete. */
export async function runStreams(load: StreamLoad): Promise<StreamFigures> {
  // A connection for each answer: servers differ in when they close an idle connection.
  const agent = new Agent({ keepAlive: false, maxSockets: load.streams })
  try {
    const started = performance.now()
    const answers = await Promise.all(
      Array.from({ length: load.streams }, async (_, stream) => {
        const timed: TimedAnswer[] = []
        for (let answer = 0; answer < load.answers; answer += 1) {
          timed.push(await readAnswer(load, `${load.run}.${stream + 1}.${answer + 1}`, agent))
        }
        return timed
      }),
    )
    const seconds = (performance.now() - started) / 1000
    const all = answers.flat()
    return {
      tokensPerSecond: all.reduce((sum, { tokens }) => sum + tokens, 0) / seconds,
      firstTokenMs: all.map(({ firstTokenMs }) => firstTokenMs),
      promptTokens: all.map(({ promptTokens }) => promptTokens),
    }
  } finally {
    agent.destroy()
  }
}

interface TimedAnswer {
  readonly tokens: number
  readonly firstTokenMs: number
  readonly promptTokens: number
}

const story = (name: string): Prompt => ({
  system: 'You write long stories in plain words, and never stop early.',
  user: `Write the story of stone number ${name}.`,
})

async function readAnswer(
  { url, key, model, tokens, prompt = story }: StreamLoad,
  name: string,
  agent: Agent,
): Promise<TimedAnswer> {
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
  const response = await send(
    `${url}/v1/chat/completions`,
    { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    { body, agent },
  )
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

async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  { body, agent }: { readonly body: string; readonly agent: Agent },
  attempt = 1,
): Promise<IncomingMessage> {
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body)
    })
  } catch (error) {
    if (attempt === ATTEMPTS) throw error
    await sleep(RETRY_MS)
    return send(url, headers, { body, agent }, attempt + 1)
  }
}
