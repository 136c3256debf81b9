// What every completion of a run is held against, whatever its check was about: cut or whole, with calls or without,
// the first choice and the last (WIRE-1 to 4, 6, 19, 22, CHAT-1).
import { readStream } from '../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { at, isRecord, show } from '../../../harness/verify/json-value.ts'
import {
  choiceIndexes,
  choiceLogprobs,
  choiceRoles,
  choices,
  choicesOf,
  completionCreated,
  completionId,
  completionModel,
  completionObject,
  finishReasons,
  usageCounts,
} from '../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { type Observer, defineObserver } from '../../runner/case.ts'
import { askedOf, choicesAsked, isCompletion, isStreamed, validN } from '../requests/asked.ts'
import { entriesMakeText, entryForms } from './logprobs.ts'
import { streamedUsage } from './usage.ts'

const usagePresent: Verifier = (exchange) => {
  const usage = at(json(exchange), 'usage')
  return isRecord(usage) ? undefined : { expected: 'usage, an object', actual: show(usage) }
}

const asManyChoices: Verifier = (exchange) => {
  const { length } = choicesOf(json(exchange))
  const n = choicesAsked(exchange)
  return length === n ? undefined : { expected: `${n} choices`, actual: String(length) }
}

/** The id of an answer, plain or streamed. */
function idOf(exchange: Exchange): unknown {
  return at(isCompletion(exchange) ? json(exchange) : readStream(exchange).chunks[0], 'id')
}

/** No answer before had this id. One that is no text is for WIRE-1. */
function newId(): Verifier {
  const seen = new Set<unknown>()
  return (exchange) => {
    const id = idOf(exchange)
    if (typeof id !== 'string') return undefined
    if (seen.has(id)) return { expected: 'an id that no answer had before', actual: show(id) }
    seen.add(id)
    return undefined
  }
}

const entriesAsAsked: Verifier = (exchange, target) => {
  const top = askedOf(exchange)?.['top_logprobs']
  return entryForms(typeof top === 'number' ? top : undefined)(exchange, target)
}

function asksLogprobs(exchange: Exchange): boolean {
  return askedOf(exchange)?.['logprobs'] === true
}

function isWhole(exchange: Exchange): boolean {
  return isCompletion(exchange) || (isStreamed(exchange) && exchange.response.end === 'complete')
}

export const answerObservers: readonly Observer[] = [
  defineObserver({
    id: 'chat.every-content',
    requirement: 'CHAT-1',
    title: 'the choices of every completion and their content',
    applies: isCompletion,
    verifiers: [choices()],
  }),
  defineObserver({
    id: 'wire.every-completion',
    requirement: 'WIRE-1',
    title: 'the members of every completion',
    applies: isCompletion,
    verifiers: [
      completionId(),
      completionObject(),
      completionModel(),
      (...seen) => completionCreated()(...seen),
    ],
  }),
  defineObserver({
    id: 'wire.every-choice',
    requirement: 'WIRE-2',
    title: 'each choice of every completion',
    applies: isCompletion,
    verifiers: [choiceIndexes(), choiceRoles(), finishReasons(), choiceLogprobs()],
  }),
  defineObserver({
    id: 'wire.every-usage',
    requirement: 'WIRE-3',
    title: 'the counts of every usage',
    applies: (exchange) => isCompletion(exchange) && (at(json(exchange), 'usage') ?? null) !== null,
    verifiers: [usageCounts()],
  }),
  defineObserver({
    id: 'wire.every-streamed-usage',
    requirement: 'WIRE-3',
    title: 'the counts of every usage of a stream',
    applies: (exchange) => isStreamed(exchange) && readStream(exchange).usage !== undefined,
    verifiers: [streamedUsage],
  }),
  defineObserver({
    id: 'wire.every-id',
    requirement: 'WIRE-4',
    title: 'the ids of all answers of the run',
    applies: (exchange) => isCompletion(exchange) || isStreamed(exchange),
    verifiers: () => [newId()],
  }),
  defineObserver({
    id: 'wire.every-n',
    requirement: 'WIRE-6',
    title: 'as many choices as were asked for, each time',
    applies: (exchange) => isCompletion(exchange) && validN(exchange) !== undefined,
    verifiers: [asManyChoices],
  }),
  defineObserver({
    id: 'wire.every-logprobs',
    requirement: 'WIRE-19',
    title: 'the logprobs of every choice, where they were asked for',
    applies: (exchange) => asksLogprobs(exchange) && isWhole(exchange),
    verifiers: [entriesAsAsked, entriesMakeText],
  }),
  defineObserver({
    id: 'wire.every-usage-present',
    requirement: 'WIRE-22',
    title: 'usage on every completion',
    applies: isCompletion,
    verifiers: [usagePresent],
  }),
]
