// The check of a use: did the program get what the server sent, did both sides keep the format, and did the use succeed for
// the person. Texts never repeat a body.
import { parseChatCompletionRequest } from '../../../../spec/schemas/parse-request.ts'
import { requestJson, utf8 } from '../../../../harness/http/exchange.ts'
import { at, isRecord, parseJson } from '../../../../harness/json-value.ts'
import type { ProgramEnd } from '../../../../harness/judged-program.ts'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'
import { textsOf } from '../verify/message-texts.ts'
import { isStream, verifyNextTurn, verifyPrinted } from './judge-printed.ts'
import { type SentAnswer, sentAnswer } from './sent-answer.ts'
import {
  type Passive,
  type Shown,
  type UseEnd,
  type UseRun,
  atFault,
  notOffered,
  notShown,
  rowOf,
} from './use-ends.ts'
import type { Use } from './uses.ts'

export const isCompletion = ({ request }: RecordedExchange): boolean =>
  request.method === 'POST' && /^\/v1\/chat\/completions(?:\?|$)/.test(request.path)

/** Returns if the use succeeded. Throws `UseEnd`. */
export function verifyUse(use: Use, run: UseRun, passive: Passive): Shown {
  const chats = run.exchanges.filter(isCompletion)
  const [first, last] = [chats[0], chats.at(-1)]
  if (first === undefined || last === undefined) {
    const [stray] = run.exchanges
    const sent =
      stray === undefined ? 'no request' : `${stray.request.method} ${stray.request.path.split('?', 1)[0]}`
    const text = `The program sent ${sent} and ended with ${endOf(run.end)}.`
    throw atFault('client', stray && 'CALL-3', text, stray)
  }
  verifyRequest(run, first)
  const verify = { answer: verifyAnswers, failure: verifyFailure, stopped: verifyStop }[use.ends]
  const succeeded = verify({ use, run, passive, chats, last })
  verifyFormat(run, passive)
  return succeeded
}

interface Seen {
  readonly use: Use
  readonly run: UseRun
  readonly passive: Passive
  readonly chats: readonly RecordedExchange[]
  readonly last: RecordedExchange
}

/** The body of the first request has everything that the program was asked to send. */
function verifyRequest({ asked, end }: UseRun, first: RecordedExchange): void {
  const body = requestJson(first.request)
  const missing = Object.keys(asked ?? {}).filter((name) => at(body, name) === undefined)
  if (missing.length > 0) {
    const names = missing.map((name) => `\`${name}\``).join(', ')
    throw atFault('client', undefined, `The request has no ${names}.`, first)
  }
  const texts = textsOf(body)
  if (!textsOf(asked).every((text) => texts.includes(text)))
    throw atFault('client', 'CALL-4', 'The text of the message was changed.', first)
  const hasImage = (value: unknown): boolean => JSON.stringify(value).includes('image_url')
  if (hasImage(asked) && !hasImage(body))
    throw atFault('client', undefined, 'The request has no image.', first)
  if (end.isOverdue && first.response === null)
    throw atFault('server', 'CHAT-9', 'The server did not answer before the time was over.', first)
}

function verifyAnswers(seen: Seen): Shown {
  const { use, run, passive, chats, last } = seen
  const { end, isScripted } = run
  const { turns = [], times = 1 } = use.requested
  const whole = chats.map((shown) => ({ shown, answer: sentAnswer(shown) }))
  const good = whole.flatMap(({ shown, answer }) => (answer === undefined ? [] : [{ shown, answer }]))
  const bad = whole.findLast(({ answer }) => answer === undefined)?.shown
  const wanted = times + turns.length
  const answers = good.map(({ answer }) => answer)
  const reason = answers.length === 0 ? undefined : use.missing?.(answers)
  // A refused attempt that the program repeated with success is not a failure, nor is a refusal after an answer that does not
  // show the use: its text may have filled the context.
  if (bad !== undefined && good.length < wanted && reason === undefined) throw refusalOf(seen, bad)
  const [{ shown, answer: first } = { shown: last, answer: undefined }] = good
  const row = rowOf(passive.server)
  if (reason !== undefined) {
    const text = 'The answer ends with `tool_calls` and has no call that can be read.'
    if (first?.finishReason === 'tool_calls' && first.calls.length === 0)
      throw atFault('server', row ?? 'TOOL-1', text, shown)
    throw notShown(reason, shown)
  }
  const isCut = ({ calls }: SentAnswer): boolean => calls.some((call) => !isRecord(call.arguments))
  const short = good.find(
    ({ answer }) =>
      answer.finishReason === 'length' && (isCut(answer) || use.content?.(answer) !== undefined),
  )
  if (short !== undefined)
    throw notShown('The answer ended at the limit of tokens before it was whole.', short.shown)
  const cut = good.find(({ answer }) => isCut(answer))
  if (cut !== undefined)
    throw atFault('server', 'TOOL-1', 'The arguments of a call are not a JSON object.', cut.shown)
  const ended = good.at(-1)?.shown ?? last
  verifyInTime(end, ended)
  if (end.exitCode !== 0) {
    if (row !== undefined && !isScripted) {
      const text = `The answer breaks the format, and the program ended with ${endOf(end)}.`
      throw atFault('server', row, text, ended)
    }
    const text = `The program ended with ${endOf(end)} after a whole answer.`
    throw atFault('client', undefined, text, ended)
  }
  if (good.length < wanted) {
    const text = `The program sent ${good.length} of ${wanted} requests.`
    throw atFault('client', turns.length === 0 ? undefined : 'CALL-6', text, ended)
  }
  const latest = answers.slice(-times)
  const unfit = latest.map((answer) => use.content?.(answer)).find((text) => text !== undefined)
  if (unfit !== undefined) throw atFault('server', row, unfit, ended)
  verifyPrinted(use, latest, end.stdout, ended, passive)
  verifyNextTurn(use, first, last)
  return {
    text: isScripted
      ? 'The program waited as the proxy said, and printed the answer.'
      : 'The program printed the answer as it was sent.',
    shown: ended,
  }
}

/** The server refused, or its answer cannot be read. */
function refusalOf({ use, run, passive }: Seen, bad: RecordedExchange): UseEnd {
  const { response } = bad
  const text = response === null ? '' : (utf8(response.body) ?? '')
  const row = rowOf(passive.server)
  if (run.isScripted) {
    const how = `The program ended with ${endOf(run.end)} after the answer ${response?.status}.`
    return atFault('client', undefined, how, bad)
  }
  if (response === null) return atFault('server', 'CHAT-9', 'The connection broke before an answer.', bad)
  const { status } = response
  if (status === 200 && response.end === 'hung-up') {
    const how = 'The program closed the connection before the end of the answer.'
    return atFault('client', undefined, how, bad)
  }
  if (status === 200) {
    const own = isStream(bad) ? 'STREAM-1' : 'CHAT-1'
    return atFault('server', row ?? own, 'The answer is not whole, or cannot be read.', bad)
  }
  if ('issue' in parseChatCompletionRequest(requestJson(bad.request), { lenient: true }))
    return atFault('client', 'CALL-3', `The request is not valid; the server answered ${status}.`, bad)
  const isNamed = status < 500 || status === 501
  if (isNamed && use.limit?.test(text) === true)
    return notShown(`The text is longer than the model takes; the server answered ${status}.`, bad)
  if (isNamed && use.feature?.test(text) === true)
    return notOffered(`The server refuses it by name, with status ${status}.`, bad)
  return atFault('server', row, `The server answered ${status} to a valid request.`, bad)
}

/** The server refused, and the program reported it. */
function verifyFailure({ run: { end, isScripted }, last }: Seen): Shown {
  const { response } = last
  if (response === null) throw atFault('server', 'CHAT-9', 'The connection broke before an answer.', last)
  const { status } = response
  if (status === 200) throw notShown('The server takes such a request.', last, true)
  if (status >= 500) {
    const text = `The server answered ${status} to a request that it should refuse.`
    throw atFault('server', 'CHAT-9', text, last)
  }
  verifyInTime(end, last)
  const answered = `${isScripted ? 'The proxy' : 'The server'} answered ${status}, and the program reported`
  if (end.exitCode === 0) throw atFault('client', 'READ-1', `${answered} no failure.`, last)
  const output = `${end.stdout}\n${end.stderr}`
  const error = at(parseJson(utf8(response.body) ?? ''), 'error')
  const words = [String(status), ...['message', 'code', 'type'].map((name) => at(error, name))]
  if (!words.some((word) => typeof word === 'string' && word !== '' && output.includes(word))) {
    const text = `The program reports a failure, but neither the status ${status} nor the words of the error.`
    throw atFault('client', undefined, text, last, true)
  }
  return { text: `${answered} it.`, shown: last }
}

function verifyStop({ run: { end }, last }: Seen): Shown {
  const text = 'The program did not close the connection when it was stopped.'
  if (end.isOverdue || last.response?.end !== 'hung-up') throw atFault('client', 'READ-11', text, last)
  return { text: 'The program closed the connection when it was stopped.', shown: last }
}

function verifyInTime({ isOverdue }: ProgramEnd, shown: RecordedExchange): void {
  const text = 'The program was still running when its time was over.'
  if (isOverdue) throw atFault('client', undefined, text, shown)
}

/** Neither side broke a row in a use that succeeded. */
function verifyFormat({ exchanges }: UseRun, passive: Passive): void {
  for (const side of ['server', 'client'] as const) {
    const broken = passive[side].find(({ outcome }) => outcome === 'fail')
    if (broken === undefined) continue
    const { id, requirement, title, place } = broken
    const shown = exchanges[Number(place)] ?? exchanges.at(-1)
    throw atFault(side, requirement, `The check \`${id}\` fails: ${title}.`, shown, true)
  }
}

/** How a program ended, with the kind of its error but not its text, which may repeat a body. */
function endOf({ exitCode, signal, stderr }: ProgramEnd): string {
  const kind = /\b[A-Z]\w*(?:Error|Exception)\b/.exec(stderr)?.[0]
  return `${exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`}${kind === undefined ? '' : ` (${kind})`}`
}
