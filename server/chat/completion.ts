// Folds the deltas of an answer into one chat completion. The stream writer consumes the same deltas, so the two
// cannot disagree (STREAM-6).
import type { FinishReason, TokenLogprob, Usage } from '../../spec/schemas/response.ts'
import type { Delta, DeltaIterator, Deltas, DeltaSource } from '../engines/engine.ts'
import { andThen, type Soon } from '../http/soon.ts'

/** The id and other common members: the same on the completion and on every chunk (STREAM-3). */
export interface AnswerHead {
  /** `chatcmpl-…`, different for every answer (WIRE-4). */
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  /** The tier that serves the request, if it asks for one (WIRE-25). */
  readonly serviceTier?: string
}

interface Choice {
  text: string
  logprobs: TokenLogprob[]
  calls: { id: string; name: string; arguments: string }[]
  reason: FinishReason | undefined
}

/** All deltas of an answer with `n` choices as the JSON of one `ChatCompletion`. Fails as the engine fails. */
export function foldCompletion(answer: DeltaSource, head: AnswerHead, n: number): Soon<string> {
  const choices: Choice[] = []
  for (let index = 0; index < n; index += 1)
    choices.push({ text: '', logprobs: [], calls: [], reason: undefined })
  let usage: Usage | undefined

  function take(deltas: Deltas): void {
    for (const delta of deltas) {
      if (delta.type === 'usage') usage = delta.usage
      else add(choices[delta.index], delta)
    }
  }

  return andThen(takeAll(answer[Symbol.asyncIterator](), take), () => {
    const { id, created, model, serviceTier } = head
    const used = usage === undefined ? '' : `,"usage":${usageJson(usage)}`
    const tier = serviceTier === undefined ? '' : `,"service_tier":"${serviceTier}"`
    return `{"id":"${id}","object":"chat.completion","created":${created},"model":${JSON.stringify(model)},"choices":[${choices.map(choiceJson).join()}]${used}${tier}}`
  })
}

/** Encoded by hand in the usual case, three numbers. */
function usageJson(usage: Usage): string {
  if (usage.prompt_tokens_details !== undefined || usage.completion_tokens_details !== undefined)
    return JSON.stringify(usage)
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${total}}`
}

/** Hands every step to `take`; waits from the first one on that is not there at once. */
function takeAll(iterator: DeltaIterator, take: (deltas: Deltas) => void): Soon<void> {
  for (;;) {
    const step = iterator.next()
    if (step instanceof Promise) return takeLate(step, iterator, take)
    if (step.done === true) return
    take(step.value)
  }
}

async function takeLate(
  first: Promise<IteratorResult<Deltas>>,
  iterator: DeltaIterator,
  take: (deltas: Deltas) => void,
): Promise<void> {
  for (let step = await first; step.done !== true; step = await iterator.next()) take(step.value)
}

function add(choice: Choice | undefined, delta: Exclude<Delta, { type: 'usage' }>): void {
  if (choice === undefined)
    throw new RangeError(
      `the engine sent a ${delta.type} delta for choice ${delta.index}, which was not requested`,
    )
  switch (delta.type) {
    case 'text':
      choice.text += delta.text
      for (const logprob of delta.logprobs ?? []) choice.logprobs.push(logprob)
      break
    case 'tool-call': {
      const call = (choice.calls[delta.call] ??= { id: '', name: '', arguments: '' })
      call.id ||= delta.id ?? ''
      call.name ||= delta.name ?? ''
      call.arguments += delta.arguments
      break
    }
    case 'finish':
      choice.reason = delta.reason
      break
  }
}

/** Put together by hand: of most choices nothing but the text has to be made into JSON. */
function choiceJson({ text, logprobs, calls, reason }: Choice, index: number): string {
  if (reason === undefined) throw new RangeError(`the engine did not finish choice ${index}`)
  const content = text === '' && calls.length > 0 ? 'null' : JSON.stringify(text)
  const more = calls.length === 0 ? '' : `,"tool_calls":${JSON.stringify(calls.map(toolCall))}`
  const tokens = logprobs.length === 0 ? 'null' : JSON.stringify({ content: logprobs, refusal: null })
  return `{"index":${index},"message":{"role":"assistant","content":${content},"refusal":null${more}},"logprobs":${tokens},"finish_reason":"${reason}"}`
}

function toolCall({ id, name, arguments: args }: Choice['calls'][number]) {
  return { id, type: 'function', function: { name, arguments: args } }
}
