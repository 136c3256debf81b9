// An engine that serves a puppet without a model: it takes the tokens of the named script, cuts them at `max_tokens`, and
// parses them rightly, as a marker is one token and text is many. A fault changes what it read.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeRecord } from '../../../../../spec/protocol/sse.ts'
import type { Puppet, PuppetScript } from '../../../../../spec/schemas/puppet.ts'
import { parseJson } from '../../../../../harness/json-value.ts'

/** The parts that the engine read, as it answers. */
export interface Said {
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly finish: string
  /** The count of its tokens in a plain answer. Default: 8. */
  readonly tokens?: number
  /** The tokens that it shows as log probabilities of a plain answer. Default: none. */
  readonly written?: readonly string[]
}

export interface Asked {
  readonly script: PuppetScript
  readonly raw: string
  readonly isStream: boolean
  readonly isCut: boolean
  readonly isOffered: boolean
}

export interface EngineOptions {
  /** Changes what is answered. */
  readonly change?: (said: Said, asked: Asked) => Said
  /** The member of the thoughts. */
  readonly reasoningMember?: string
  /** Cuts a text into the deltas of a stream. */
  readonly fragments?: (text: string) => readonly string[]
}

interface Request {
  readonly messages: readonly { readonly content: string }[]
  readonly model?: string
  readonly stream?: boolean
  readonly logprobs?: boolean
  readonly max_tokens?: number
  readonly tools?: unknown
  readonly tool_choice?: string
  readonly stream_options?: { readonly include_usage?: boolean }
}

export async function startParsingEngine(puppet: Puppet, options: EngineOptions = {}) {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models') === true) {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          object: 'list',
          data: [{ id: puppet.model, object: 'model', created: 1, owned_by: 'x' }],
        }),
      )
      return
    }
    const body: Buffer[] = []
    request.on('data', (chunk: Buffer) => void body.push(chunk))
    request.on('end', () => {
      const asked = parseJson(Buffer.concat(body).toString()) as Request
      const [type, text] = answer(puppet, asked, options)
      response.setHeader('content-type', type)
      response.end(text)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const UNNAMED: Said = { content: 'No script is named.', reasoning: '', calls: [], finish: 'stop' }

function answer(
  puppet: Puppet,
  asked: Request,
  { change, reasoningMember = 'reasoning_content', fragments }: EngineOptions,
) {
  const content = asked.messages.at(-1)?.content ?? ''
  const script = puppet.scripts.find(({ prompt }) => content.includes(prompt))
  const limit = asked.max_tokens ?? Infinity
  const isStream = asked.stream === true
  const isOffered = asked.tools !== undefined && asked.tool_choice !== 'none'
  let said = UNNAMED
  if (script !== undefined) {
    const isCut = limit <= script.pieces.length
    const pieces = script.pieces.slice(0, limit)
    const raw = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))).toString()
    const right = parse(pieces, script, isOffered, isCut)
    said = change?.(right, { script, raw, isStream, isCut, isOffered }) ?? right
  }
  const common = { id: 'chatcmpl-1', created: 1, model: puppet.model }
  const usage = {
    prompt_tokens: 8,
    completion_tokens: said.tokens ?? 8,
    total_tokens: 8 + (said.tokens ?? 8),
  }
  const calls = said.calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }))
  if (!isStream) {
    const message = {
      role: 'assistant',
      content: said.content === '' && calls.length > 0 ? null : said.content,
      ...(said.reasoning !== '' && { [reasoningMember]: said.reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    const entries = said.written?.map((token) => ({ token, logprob: -0.1, bytes: null, top_logprobs: [] }))
    const logprobs = entries === undefined || asked.logprobs !== true ? null : { content: entries }
    const choices = [{ index: 0, message, finish_reason: said.finish, logprobs }]
    return [
      'application/json',
      JSON.stringify({ ...common, object: 'chat.completion', choices, usage }),
    ] as const
  }
  const cut = fragments ?? ((text: string) => text.match(/.{1,5}/gsu) ?? [])
  const deltas = [
    { role: 'assistant', content: '' },
    ...cut(said.reasoning).map((text) => ({ [reasoningMember]: text })),
    ...cut(said.content).map((text) => ({ content: text })),
    ...calls.flatMap((call, index) => {
      const head = { index, ...call, function: { ...call.function, arguments: '' } }
      const rest = cut(call.function.arguments).map((text) => ({ index, function: { arguments: text } }))
      return [head, ...rest].map((fragment) => ({ tool_calls: [fragment] }))
    }),
  ]
  const chunk = (delta: object, finish: string | null) =>
    encodeRecord(
      JSON.stringify({
        ...common,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      }),
    )
  const records = [...deltas.map((delta) => chunk(delta, null)), chunk({}, said.finish)]
  return ['text/event-stream', [...records, encodeRecord('[DONE]')].join('')] as const
}

/** Parses the tokens of the family qwen3. */
function parse(
  pieces: PuppetScript['pieces'],
  script: PuppetScript,
  isOffered: boolean,
  isCut: boolean,
): Said {
  const parts = { text: '', thoughts: '', call: '' }
  let place: keyof typeof parts = 'text'
  let bytes: Buffer[] = []
  const calls: Said['calls'][number][] = []
  const move = (to: keyof typeof parts): void => {
    parts[place] += Buffer.concat(bytes)
      .toString()
      .replace(/\uFFFD$/, '')
    bytes = []
    place = to
  }
  for (const piece of pieces) {
    if (piece === '<think>') move('thoughts')
    else if (piece === '</think>') move('text')
    else if (piece === '<tool_call>' && isOffered) move('call')
    else if (piece === '</tool_call>' && isOffered) {
      move('text')
      const read = parseJson(parts.call) as { name: string; arguments: object }
      if (script.tools.some(({ function: { name } }) => name === read.name))
        calls.push({ id: `call_${calls.length}`, name: read.name, arguments: JSON.stringify(read.arguments) })
      else parts.text += `<tool_call>${parts.call}</tool_call>`
      parts.call = ''
    } else bytes.push(Buffer.from(piece as string))
  }
  move('text')
  const isMarked =
    calls.length > 0 || parts.thoughts !== '' || pieces.includes('<think>') || pieces.includes('<tool_call>')
  return {
    content: isMarked ? parts.text.trim() : parts.text,
    reasoning: parts.thoughts.trim(),
    calls,
    finish: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
  }
}
