// A small client program that keeps every rule, for tests of pairs. Its argument is the fault that it has.
import { setTimeout as sleep } from 'node:timers/promises'

export const CLIENT_FAULTS = [
  'cuts-text',
  'loses-calls',
  'takes-refusals',
  'retries-at-once',
  'drops-format',
  'goes-on-when-stopped',
  'sends-no-results',
  'hides-usage',
  'takes-the-last-finish',
  'hides-reasoning',
  'forgets-reasoning',
  'sends-one',
  'does-nothing',
] as const
export type ClientFault = (typeof CLIENT_FAULTS)[number]

interface Call {
  id?: string
  type?: string
  function: { name: string; arguments: string }
}
interface Message {
  role?: string
  content?: string | null
  reasoning_content?: string
  tool_calls?: Call[]
}
interface Fragment extends Partial<Call> {
  index: number
}
interface Body {
  choices: {
    message: Message
    delta: Omit<Message, 'tool_calls'> & { tool_calls?: Fragment[] }
    finish_reason: string | null
  }[]
  usage?: unknown
}

const fault = process.argv[2] as ClientFault | undefined
const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key, TOUCHSTONE_TIMES: times = '1' } = process.env
const request = JSON.parse(process.env['TOUCHSTONE_REQUEST'] ?? '{}') as {
  stream?: boolean
  messages: unknown[]
}
const turns = JSON.parse(process.env['TOUCHSTONE_TURNS'] ?? '[]') as (string | Record<string, string>)[]
if (fault === 'drops-format') Reflect.deleteProperty(request, 'response_format')
if (fault === 'goes-on-when-stopped') process.on('SIGINT', () => {})

/** Sends a request, and again after a 429 when its wait is over. */
async function send(messages: unknown[], attempts = 2): Promise<Response> {
  const answer = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, messages }),
  })
  if (answer.ok || fault === 'takes-refusals') return answer
  const text = await answer.text()
  if (answer.status !== 429 || attempts === 1) throw new Error(`status ${answer.status}: ${text}`)
  await sleep(fault === 'retries-at-once' ? 0 : Number(answer.headers.get('retry-after')) * 1000)
  return send(messages, attempts - 1)
}

async function complete(messages: unknown[]) {
  const answer = await send(messages)
  if (request.stream === true) return fold(await answer.text())
  const { choices, usage } = (await answer.json()) as Partial<Body>
  return { message: choices?.[0]?.message ?? {}, finish: choices?.[0]?.finish_reason, usage }
}

/** Folds a stream to one answer. */
function fold(text: string) {
  const message: Message = { role: 'assistant', content: '' }
  const calls: Call[] = []
  let [finish, usage]: [string | null | undefined, unknown] = [undefined, undefined]
  for (const [, data = ''] of text.matchAll(/^data: (\{.*\})$/gm)) {
    const chunk = JSON.parse(data) as Body
    usage = chunk.usage ?? usage
    for (const { delta, finish_reason: reason } of chunk.choices) {
      message.content += delta.content ?? ''
      finish = fault === 'takes-the-last-finish' ? (reason ?? '') : (reason ?? finish)
      for (const { index, id, function: piece } of delta.tool_calls ?? []) {
        const call = (calls[index] ??= {
          id: id ?? '',
          type: 'function',
          function: { name: '', arguments: '' },
        })
        call.function.name += piece?.name ?? ''
        call.function.arguments += piece?.arguments ?? ''
      }
    }
  }
  if (calls.length > 0) message.tool_calls = calls
  return { message, finish, usage }
}

async function converse(): Promise<void> {
  const messages = [...request.messages]
  let completion = await complete(messages)
  for (const turn of turns) {
    const { tool_calls: calls = [] } = completion.message
    if (fault === 'forgets-reasoning') delete completion.message.reasoning_content
    messages.push(completion.message)
    if (typeof turn === 'string') messages.push({ role: 'user', content: turn })
    else
      for (const call of calls) {
        JSON.parse(call.function.arguments)
        const id = fault === 'sends-no-results' ? 'call_other' : call.id
        messages.push({ role: 'tool', tool_call_id: id, content: turn[call.function.name] })
      }
    completion = await complete(messages)
  }
  const { message, finish, usage } = completion
  const { content = null, tool_calls: calls, reasoning_content: reasoning } = message
  const line = {
    content: fault === 'cuts-text' ? content?.slice(0, -1) : content,
    tool_calls: fault === 'loses-calls' ? undefined : calls,
    finish_reason: finish,
    reasoning: fault === 'hides-reasoning' ? undefined : reasoning,
    usage: fault === 'hides-usage' ? undefined : usage,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const count = fault === 'sends-one' ? 1 : Number(times)
if (fault !== 'does-nothing') await Promise.all(Array.from({ length: count }, converse))
