// The verdict on one run of a use: did the program get what the server sent, did both sides keep the format, and did the use
// succeed for the person. Texts of a verdict never repeat a body.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import { parseChatCompletionRequest } from '../../../spec/schemas/parse-request.ts'
import { requestJson, utf8 } from '../../../harness/http/exchange.ts'
import { at, isRecord, parseJson } from '../../../harness/json-value.ts'
import type { ProgramEnd } from '../../../harness/judged-program.ts'
import { printedAnswers } from '../../../harness/printed-answer.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import type { CheckResult } from '../../contract/result.ts'
import { type Judged, type NotShown, type Passive, fails } from './judged.ts'
import { isStream, judgeNextTurn, judgePrinted } from './judge-printed.ts'
import { type SentAnswer, sentAnswer, sentTexts, textsOf } from './sent-answer.ts'
import type { UseRun } from './run-use.ts'
import type { Use } from './uses.ts'

export const isCompletion = ({ request }: RecordedExchange): boolean =>
  request.method === 'POST' && /^\/v1\/chat\/completions(?:\?|$)/.test(request.path)

export function judgeUse(use: Use, run: UseRun, passive: Passive): Judged | NotShown {
  const { exchanges, end } = run
  const chats = exchanges.filter(isCompletion)
  const last = chats.at(-1)
  if (last === undefined) {
    const [stray] = exchanges
    const sent =
      stray === undefined ? 'no request' : `${stray.request.method} ${stray.request.path.split('?', 1)[0]}`
    const text = `The program sent ${sent} and ended with ${endOf(end)}.`
    return fails('client', stray === undefined ? undefined : 'CALL-3', text, stray)
  }
  const found =
    judgeRequest(run, chats) ??
    (use.ends === 'answer'
      ? judgeAnswers(use, run, chats, passive)
      : use.ends === 'failure'
        ? judgeFailure(run, last)
        : judgeStop(run, last))
  if ('reason' in found || found.verdict !== 'works') return found
  return defectOf(run, passive) ?? found
}

/** The body of the first request has everything that the program was asked to send. */
function judgeRequest({ asked, end }: UseRun, [first]: readonly RecordedExchange[]): Judged | undefined {
  if (first === undefined) return undefined
  const body = requestJson(first.request)
  const missing = Object.keys(asked).filter((name) => at(body, name) === undefined)
  if (missing.length > 0)
    return fails(
      'client',
      undefined,
      `The request has no ${missing.map((name) => `\`${name}\``).join(', ')}.`,
      first,
    )
  const texts = sentTexts(first)
  if (!textsOf(asked).every((text) => texts.includes(text)))
    return fails('client', 'CALL-4', 'The text of the message was changed.', first)
  const images = JSON.stringify(asked).includes('image_url')
  if (images && !JSON.stringify(body).includes('image_url'))
    return fails('client', undefined, 'The request has no image.', first)
  return end.isOverdue && first.response === null
    ? fails('server', 'CHAT-9', 'The server did not answer before the time was over.', first)
    : undefined
}

function judgeAnswers(
  use: Use,
  run: UseRun,
  chats: readonly RecordedExchange[],
  passive: Passive,
): Judged | NotShown {
  const { end, isScripted } = run
  const whole = chats.map((shown) => ({ shown, answer: sentAnswer(shown) }))
  const good = whole.flatMap(({ shown, answer }) => (answer === undefined ? [] : [{ shown, answer }]))
  const bad = whole.findLast(({ answer }) => answer === undefined)?.shown
  const wanted = (use.times ?? 1) + (use.turns?.length ?? 0)
  const printed = printedAnswers(end.stdout)
  const answers = good.map(({ answer }) => answer)
  const reason = answers.length === 0 ? undefined : use.missing?.(answers)
  // A refused attempt that the program repeated with success is not a failure, nor is a refusal after an answer that does not
  // show the use: its text may have filled the context.
  if (bad !== undefined && good.length < wanted && reason === undefined)
    return judgeRefusal(use, run, bad, passive)
  const [{ shown, answer: first } = { shown: chats[0], answer: undefined }] = good
  if (reason !== undefined) {
    if (first?.finishReason === 'tool_calls' && first.calls.length === 0)
      return fails(
        'server',
        rowOf(passive.server) ?? 'TOOL-1',
        'The answer ends with `tool_calls` and has no call that can be read.',
        shown,
      )
    return { reason, shown }
  }
  const hasCutCall = ({ calls }: SentAnswer): boolean => calls.some((call) => !isRecord(call.arguments))
  const short = good.find(
    ({ answer }) =>
      answer.finishReason === 'length' && (hasCutCall(answer) || use.content?.(answer) !== undefined),
  )
  if (short !== undefined)
    return { reason: 'The answer ended at the limit of tokens before it was whole.', shown: short.shown }
  const cut = good.find(({ answer }) => hasCutCall(answer))
  if (cut !== undefined)
    return fails('server', 'TOOL-1', 'The arguments of a call are not a JSON object.', cut.shown)
  const ended = good.at(-1)?.shown
  if (end.isOverdue)
    return fails('client', undefined, 'The program was still running when its time was over.', ended)
  if (end.exitCode !== 0) {
    const row = isScripted ? undefined : rowOf(passive.server)
    if (row !== undefined)
      return fails(
        'server',
        row,
        `The answer breaks the format, and the program ended with ${endOf(end)}.`,
        ended,
      )
    return fails('client', undefined, `The program ended with ${endOf(end)} after a whole answer.`, ended)
  }
  if (good.length < wanted)
    return fails(
      'client',
      use.turns === undefined ? undefined : 'CALL-6',
      `The program sent ${good.length} of ${wanted} requests.`,
      ended,
    )
  const unfit = answers
    .slice(-(use.times ?? 1))
    .map((answer) => use.content?.(answer))
    .find((text) => text !== undefined)
  if (unfit !== undefined) return fails('server', rowOf(passive.server), unfit, ended)
  return (
    judgePrinted(use, answers.slice(-(use.times ?? 1)), printed, ended, passive) ??
    judgeNextTurn(use, good, chats.at(-1)) ?? {
      verdict: 'works',
      text: isScripted
        ? 'The program waited as the proxy said, and printed the answer.'
        : 'The program printed the answer as it was sent.',
      shown: ended,
    }
  )
}

/** The server refused, or its answer cannot be read. */
function judgeRefusal(use: Use, run: UseRun, bad: RecordedExchange, passive: Passive): Judged | NotShown {
  const { response } = bad
  if (run.isScripted)
    return fails(
      'client',
      undefined,
      `The program ended with ${endOf(run.end)} after the answer ${response?.status}.`,
      bad,
    )
  if (response === null) return fails('server', 'CHAT-9', 'The connection broke before an answer.', bad)
  const { status } = response
  if (status === 200) {
    const row = rowOf(passive.server) ?? (isStream(bad) ? 'STREAM-1' : 'CHAT-1')
    if (response.end === 'hung-up')
      return fails(
        'client',
        undefined,
        'The program closed the connection before the end of the answer.',
        bad,
      )
    return fails('server', row, 'The answer is not whole, or cannot be read.', bad)
  }
  if ('issue' in parseChatCompletionRequest(requestJson(bad.request), { lenient: true }))
    return fails('client', 'CALL-3', `The request is not valid; the server answered ${status}.`, bad)
  const text = utf8(response.body) ?? ''
  const isNamed = status < 500 || status === 501
  if (isNamed && use.limit?.test(text) === true)
    return { reason: `The text is longer than the model takes; the server answered ${status}.`, shown: bad }
  if (isNamed && use.feature?.test(text) === true)
    return {
      verdict: 'not-offered',
      side: 'server',
      text: `The server refuses it by name, with status ${status}.`,
      shown: bad,
    }
  return fails('server', rowOf(passive.server), `The server answered ${status} to a valid request.`, bad)
}

/** The server refused, and the program reported it. */
function judgeFailure({ end, isScripted }: UseRun, last: RecordedExchange): Judged | NotShown {
  const { response } = last
  const by = isScripted ? 'The proxy' : 'The server'
  if (response === null) return fails('server', 'CHAT-9', 'The connection broke before an answer.', last)
  if (response.status === 200)
    return { reason: 'The server takes such a request.', isAccepted: true, shown: last }
  if (response.status >= 500)
    return fails(
      'server',
      'CHAT-9',
      `The server answered ${response.status} to a request that it should refuse.`,
      last,
    )
  if (end.isOverdue)
    return fails('client', undefined, 'The program was still running when its time was over.', last)
  if (end.exitCode === 0)
    return fails(
      'client',
      'READ-1',
      `${by} answered ${response.status}, and the program reported no failure.`,
      last,
    )
  const output = `${end.stdout}\n${end.stderr}`
  const error = at(parseJson(utf8(response.body) ?? ''), 'error')
  const words = [String(response.status), ...['message', 'code', 'type'].map((name) => at(error, name))]
  const isReported = words.some((word) => typeof word === 'string' && word !== '' && output.includes(word))
  if (!isReported)
    return {
      verdict: 'works-with-a-defect',
      side: 'client',
      text: `The program reports a failure, but neither the status ${response.status} nor the words of the error.`,
      shown: last,
    }
  return {
    verdict: 'works',
    text: `${by} answered ${response.status}, and the program reported it.`,
    shown: last,
  }
}

function judgeStop({ end }: UseRun, last: RecordedExchange): Judged {
  if (end.isOverdue || last.response?.end !== 'hung-up')
    return fails('client', 'READ-11', 'The program did not close the connection when it was stopped.', last)
  return { verdict: 'works', text: 'The program closed the connection when it was stopped.', shown: last }
}

/** A use that succeeded although a side broke a row. */
function defectOf({ exchanges, isScripted }: UseRun, { server, client }: Passive): Judged | undefined {
  const sides = [...(isScripted ? [] : ([['server', server]] as const)), ['client', client] as const] as const
  for (const [side, results] of sides) {
    const broken = results.find(({ outcome }) => outcome === 'fail')
    if (broken === undefined) continue
    return {
      verdict: 'works-with-a-defect',
      side,
      requirement: broken.requirement,
      text: `The check \`${broken.id}\` fails: ${broken.title}.`,
      shown: exchanges[Number(broken.place)] ?? exchanges.at(-1),
    }
  }
  return undefined
}

/** The row of the first check that fails. */
const rowOf = (results: readonly CheckResult[]): RequirementId | undefined =>
  results.find(({ outcome }) => outcome === 'fail')?.requirement

/** How a program ended, with the kind of its error but not its text, which may repeat a body. */
function endOf({ exitCode, signal, stderr }: ProgramEnd): string {
  const kind = /\b[A-Z]\w*(?:Error|Exception)\b/.exec(stderr)?.[0]
  return `${exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`}${kind === undefined ? '' : ` (${kind})`}`
}
