// The steps of a scripted stream, and the words in which the scripts are written.
import { DONE, encodeComment, encodeRecord } from '../../spec/protocol/sse.ts'

/** The role of a step for its reader. `content` is visible output, `reasoning` and `call` are hidden output. */
export type StepKind =
  | 'role'
  | 'empty'
  | 'content'
  | 'reasoning'
  | 'call'
  | 'comment'
  | 'finish'
  | 'usage'
  | 'done'
  | 'error'

/** One event, sent `afterMs` after the step before it, or after the request if it is the first. */
export interface ScriptedStep {
  readonly afterMs: number
  readonly kind: StepKind
  /** The tokens that this event holds, as the usage will count them. */
  readonly tokens: number
  /** The bytes of the event, as text. */
  readonly text: string
  /** A second role of the event, for example a finish reason beside content. */
  readonly also?: StepKind
  /** Send only the first half at its time, and the rest after this number of milliseconds, when the event is complete. */
  readonly halfMs?: number
}

export type Ending = 'close' | 'open' | 'reset' | 'silent'

export interface ScriptedAnswer {
  readonly status: number
  readonly steps: readonly ScriptedStep[]
  /** The end after the last step: end the answer, leave it open, reset the connection, or send nothing more. */
  readonly ending: Ending
  /** Streams of this script wait for each other. */
  readonly isSerial?: boolean
}

export interface Script {
  readonly about: string
  /** The answer to the request with this number, from 0. */
  answer(request: number): ScriptedAnswer
}

export const TOKENS = 20
export const FIRST_MS = 100
export const GAP_MS = 20

function record(value: object): string {
  return encodeRecord(JSON.stringify(value))
}

const CHUNK = { id: 'chatcmpl-clock', object: 'chat.completion.chunk', created: 1, model: 'clock' }

export function chunk(delta: object, finishReason: string | null = null): string {
  return record({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finishReason }] })
}

const DELTAS = {
  role: { role: 'assistant', content: '' },
  empty: { content: '' },
  content: { content: 'word ' },
  reasoning: { reasoning_content: 'thought ' },
  call: {
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
}

export function step(kind: keyof typeof DELTAS, afterMs: number, tokens = 0): ScriptedStep {
  return { kind, afterMs, tokens, text: chunk(DELTAS[kind]) }
}

export const content = (afterMs: number, tokens = 1): ScriptedStep => step('content', afterMs, tokens)
export const reasoning = (afterMs: number): ScriptedStep => step('reasoning', afterMs, 1)
export const role = (afterMs: number): ScriptedStep => step('role', afterMs)

/** A step without tokens. */
function mark(kind: StepKind, afterMs: number, text: string): ScriptedStep {
  return { kind, afterMs, tokens: 0, text }
}

const ENGINE_FAILED = {
  error: { message: 'The engine failed.', type: 'server_error', code: 'engine_failed', param: null },
}
export const comment = (afterMs: number): ScriptedStep => mark('comment', afterMs, encodeComment('wait'))
export const finish = (afterMs = 0): ScriptedStep => mark('finish', afterMs, chunk({}, 'stop'))
export const done = (afterMs = 0): ScriptedStep => mark('done', afterMs, encodeRecord(DONE))
export const error = (afterMs: number): ScriptedStep => mark('error', afterMs, record(ENGINE_FAILED))

export function usage(afterMs: number, tokens: number): ScriptedStep {
  const counts = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: tokens + 10 }
  return mark('usage', afterMs, record({ ...CHUNK, choices: [], usage: counts }))
}

/** `count` events of content, the first after `firstMs`, the others `gapMs` apart. */
export function words(
  count: number,
  firstMs: number,
  gapMs: number | ((at: number) => number),
  tokens = 1,
): ScriptedStep[] {
  return Array.from({ length: count }, (_, at) =>
    content(at === 0 ? firstMs : typeof gapMs === 'number' ? gapMs : gapMs(at), tokens),
  )
}

/** A whole stream of these steps: its finish reason, its usage and `[DONE]` follow at once. */
export function whole(steps: readonly ScriptedStep[]): ScriptedAnswer {
  const tokens = steps.reduce((sum, one) => sum + one.tokens, 0)
  return { status: 200, steps: [...steps, finish(), usage(0, tokens), done()], ending: 'close' }
}

export function ends(steps: readonly ScriptedStep[], ending: Ending = 'close'): ScriptedAnswer {
  return { status: 200, steps, ending }
}

export const even = (): ScriptedStep[] => words(TOKENS, FIRST_MS, GAP_MS)

/** A pseudo-random number from 0 to 1 for this index. */
export const scatter = (at: number): number => ((at * 7919 + 104_729) % 1000) / 1000

export function refused(status: number): ScriptedAnswer {
  const error = { message: 'No.', type: 'server_error', code: null, param: null }
  return { status, steps: [mark('error', 5, JSON.stringify({ error }))], ending: 'close' }
}

export function script(about: string, answer: Script['answer']): Script {
  return { about, answer }
}
