// Verifies every completion of a run, cut or whole, with calls or without, in each of its choices (WIRE-1 to 4, 6, 19,
// 22, CHAT-1).
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { framingFault } from '../../../../../harness/http/framing.ts'
import { NOT_HTTP } from '../../../../../harness/http/send-once.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import {
  choiceCount,
  choiceIndexes,
  choiceLogprobs,
  choiceRoles,
  choices,
  completionCreated,
  completionId,
  completionModel,
  completionObject,
  finishReasons,
  usageCounts,
  usagePresent,
} from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import {
  askedOf,
  choicesAsked,
  isCompletion,
  isPlain,
  isStreamed,
  isUnreadable,
  isWholeAnswer,
  ofValidRequests,
  readable,
  validN,
} from '../requests/asked.ts'
import {
  candidatesFall,
  entriesBeginWithText,
  entriesMakeText,
  entryForms,
  hasCandidates,
} from './logprobs.ts'
import { idOfChunks } from './completion-shape.ts'
import { hasContents } from '../streaming/streamed-answers.ts'
import { streamedUsage, textIsCounted } from './usage-counts.ts'

const asManyChoices: Verifier = (exchange, target) => choiceCount(choicesAsked(exchange))(exchange, target)

function idOf(exchange: Exchange): unknown {
  return isCompletion(exchange) ? at(json(exchange), 'id') : idOfChunks(readStream(exchange).chunks)
}

/** No earlier answer had this id. WIRE-1 judges an id that is not a string. */
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

/** The token in which a stop string begins is not cut as its text is. */
const makeText: Verifier = (exchange) =>
  (askedOf(exchange)?.['stop'] ?? null) === null ? entriesMakeText(exchange) : entriesBeginWithText(exchange)

const asksLogprobs = (exchange: Exchange): boolean => askedOf(exchange)?.['logprobs'] === true

/** The HTTP message of a plain answer has one framing, and the parser of HTTP accepts all of it. */
const framed: Verifier = ({ response: { headers, broken } }) => {
  const fault = framingFault(headers) ?? (broken?.startsWith(NOT_HTTP) === true ? broken : undefined)
  return fault === undefined ? undefined : { expected: 'one framing of the HTTP message', actual: fault }
}

export const answerObservers: readonly Observer[] = [
  observe('chat.every-framing', 'CHAT-1', 'the framing of every plain answer')
    .with({ includesCut: true })
    .on((exchange) => {
      const asked = askedOf(exchange)
      return exchange.response.status === 200 && asked !== undefined && asked['stream'] !== true
    })
    .verify(framed),
  observe('chat.every-content', 'CHAT-1', 'the choices of every completion and their content')
    .on((exchange) => isCompletion(exchange) || (isPlain(exchange) && isUnreadable(exchange)))
    .verify(readable, choices),
  observe('wire.every-completion', 'WIRE-1', 'the members of every completion')
    .on(isCompletion)
    .verify(completionId, completionObject, completionModel, completionCreated),
  observe('wire.every-choice', 'WIRE-2', 'each choice of every completion')
    .on(isCompletion)
    .verify(choiceIndexes, choiceRoles, finishReasons, choiceLogprobs),
  observe('wire.every-usage', 'WIRE-3', 'the counts of every usage')
    .on((exchange) => isCompletion(exchange) && (at(json(exchange), 'usage') ?? null) !== null)
    .verify(usageCounts, textIsCounted),
  observe('wire.every-streamed-usage', 'WIRE-3', 'the counts of every usage of a stream')
    .on((exchange) => isStreamed(exchange) && readStream(exchange).usage !== undefined)
    .verify(streamedUsage, textIsCounted),
  observe('wire.every-id', 'WIRE-4', 'the ids of all answers of the run')
    .on((exchange) => isCompletion(exchange) || isStreamed(exchange))
    .compare(newId),
  observe('wire.every-n', 'WIRE-6', 'as many choices as requested, each time')
    .on((exchange) => isCompletion(exchange) && validN(exchange) !== undefined)
    .verify(asManyChoices),
  observe('wire.every-logprobs', 'WIRE-19', 'the logprobs of every choice, if they were requested')
    .on((exchange) => asksLogprobs(exchange) && isWholeAnswer(exchange) && hasContents(exchange))
    .verify(entriesAsAsked, makeText),
  observe('wire.every-logprobs-falling', 'WIRE-19', 'the order of the candidates of every `top_logprobs`')
    .with({ level: 'SHOULD' })
    .on((exchange) => asksLogprobs(exchange) && isWholeAnswer(exchange) && hasCandidates(exchange))
    .verify(candidatesFall),
  observe('wire.every-usage-present', 'WIRE-22', 'usage on every completion')
    .on(isCompletion)
    .verify(usagePresent),
].map(ofValidRequests)
