// Judges recordings from their files to the report, and sends nothing: each exchange passes the observers of a live run, and
// the calls that are joined from the exchanges pass the checks of clients.
import { type Check, headOf } from '../../contract/check.ts'
import { type Observer, watch } from '../../contract/observer.ts'
import { selector } from '../../contract/selection.ts'
import type { Subject } from '../../contract/subject.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type Exchange, requestJson } from '../../../harness/http/exchange.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import { PROGRAM } from '../../../harness/program.ts'
import type { Redactor } from '../../../harness/redact.ts'
import type { TargetFacts } from '../../../harness/target-facts.ts'
import { at } from '../../../harness/json-value.ts'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import { beginReport } from '../../report/begin-report.ts'
import { flagWords, shellWord } from '../../report/show-exchange.ts'
import type { Report } from '../../contract/report.ts'
import { type CheckResult, notRun } from '../../contract/result.ts'
import type { RecordedSubject, Settings } from '../../contract/settings.ts'
import { createTokenMeter } from '../../exchanges/token-meter.ts'
import { keyObservers } from './key-observers.ts'
import { readRecording } from '../../exchanges/read-recording.ts'
import { type RecordedExchange, authorizationsOf, splitAddress } from '../../exchanges/recorded-exchange.ts'

/** The checks that a recording is judged by: those of servers at each exchange, and those of clients at each call. */
export interface JudgedSides {
  readonly server: Pick<Subject, 'rows'> & { readonly catalogue: { readonly observers: readonly Observer[] } }
  readonly client: Pick<Subject, 'rows'> & {
    readonly recordedCalls: {
      readonly checks: readonly Check[]
      judge(
        wanted: (check: Check) => boolean,
        strict: boolean,
      ): { add(exchange: RecordedExchange, place: string): void; results(): readonly CheckResult[] }
    }
  }
}

export interface RecordingOptions extends Pick<
  Settings,
  'profile' | 'strict' | 'only' | 'seed' | 'baseline' | 'allowIncomplete' | 'baseUrl'
> {
  readonly files: readonly string[]
  /** Default: both. */
  readonly subject?: RecordedSubject | undefined
  readonly signal?: AbortSignal
  /** Bytes of a file that are read. */
  readonly onProgress?: (bytes: number, file: string) => void
}

/**
 * Judges recordings, one after the other, as one. Throws `UsageError` for a file that is not a recording, and if no exchange
 * of a service was recorded.
 */
export async function judgeRecordings(
  options: RecordingOptions,
  { server, client }: JudgedSides,
  redactor: Redactor,
): Promise<Report> {
  const { files, profile, strict, only, subject, signal, onProgress = () => {} } = options
  const rows = [
    ...(subject === 'client' ? [] : server.rows(profile)),
    ...(subject === 'server' ? [] : client.rows('service')),
  ]
  const isRow = selector({ rows })
  const wanted = selector({ rows, only })
  const observers = [...keyObservers, ...server.catalogue.observers].filter(isRow)
  const ofCalls = client.recordedCalls.checks.filter(isRow)
  const hidden = hiddenChecks(rows, [...observers, ...ofCalls])
  const all = [...observers, ...ofCalls, ...hidden]
  const run = beginReport(
    { subject: 'recording', rows, checks: all, selected: all.filter(wanted).length },
    options,
    redactor,
  )

  let facts: TargetFacts | undefined
  let isKeyed = false
  const counts = { exchanges: 0, unanswered: 0, elsewhere: 0, skipped: 0 }
  let skipped: string | undefined
  const meter = createTokenMeter()
  const watched = watch(observers.filter(wanted), () => facts ?? { baseUrl: '', profile, model: '' }, {
    strict,
  })
  const calls = client.recordedCalls.judge(wanted, strict)
  const models = new Set<string>()

  for (const file of files) {
    for await (const read of readRecording(file, (bytes) => onProgress(bytes, file))) {
      if (signal?.aborted === true) break
      if ('skipped' in read) {
        counts.skipped += 1
        skipped ??= `${read.place} of ${file}: ${read.skipped}`
        continue
      }
      const recorded = underService(read.exchange, options.baseUrl ?? facts?.baseUrl)
      if (recorded === undefined) {
        counts.elsewhere += 1
        continue
      }
      counts.exchanges += 1
      const { baseUrl, exchange } = recorded
      const model = modelOf(exchange)
      if (model !== undefined && models.size < MOST_MODELS) models.add(model)
      facts = { baseUrl, profile, model: model ?? facts?.model ?? '' }
      isKeyed ||= authorizationsOf(exchange).length > 0
      const place = `${read.place}${files.length > 1 ? ` of ${file}` : ''}`
      if (exchange.response === null) {
        counts.unanswered += 1
        if (exchange.error !== undefined)
          watched.seeBroken(new TransportError(exchange.error, exchange.request), place)
      } else {
        const { request, response, timings } = exchange
        const answered: Exchange = { request, response, timings }
        watched.see(answered, place)
        meter.see(answered)
      }
      if (isCompletion(exchange)) calls.add(exchange, place)
    }
  }
  if (facts === undefined) {
    const under = options.baseUrl === undefined ? 'under `/v1`' : `of ${options.baseUrl}`
    throw new UsageError(`${files.join(', ')}: no request ${under} was recorded`)
  }
  const judged = [...watched.results().map(placed), ...calls.results()].map((result) =>
    !isKeyed && isAboutKeys(result.requirement)
      ? notShown(result, 'the recording has no `Authorization` header')
      : result,
  )
  return run.finish({
    target: {
      baseUrl: facts.baseUrl,
      profile,
      model: [...models].join(', '),
      facts: () => [
        { name: 'exchanges', value: counts.exchanges, learned: files.join(', ') },
        ...fact('exchanges without an answer', counts.unanswered, 'the recording'),
        ...fact('requests to other addresses, not judged', counts.elsewhere, 'their addresses'),
        ...fact('entries that cannot be judged', counts.skipped, skipped ?? ''),
      ],
    },
    results: [
      ...judged,
      ...hidden.filter(wanted).map(({ reason, ...check }) => notShown(headOf(check), reason)),
    ],
    requests: counts.exchanges,
    tokens: meter.count(),
    interrupted: signal?.aborted === true,
    commandLine: (flags) => commandLine(options, flags),
  })
}

/** The most models that a report names. */
const MOST_MODELS = 20

function fact(name: string, value: number, learned: string) {
  return value === 0 ? [] : [{ name, value, learned }]
}

/** The exchange with its path under the service that is judged: the given one, else that of the first request. */
function underService(
  exchange: RecordedExchange,
  wanted: string | undefined,
): { readonly baseUrl: string; readonly exchange: RecordedExchange } | undefined {
  const split = splitAddress(exchange.request.url)
  const baseUrl = (wanted ?? split?.baseUrl)?.replace(/\/$/, '')
  if (split === undefined || split.baseUrl !== baseUrl) return undefined
  return { baseUrl, exchange: { ...exchange, request: { ...exchange.request, path: split.path } } }
}

function modelOf({ request }: RecordedExchange): string | undefined {
  const model = at(requestJson(request), 'model')
  return typeof model === 'string' ? model : undefined
}

const isCompletion = ({ request }: RecordedExchange): boolean =>
  request.method === 'POST' && /^\/v1\/chat\/completions(?:[?#]|$)/.test(request.path)

const isAboutKeys = (row: RequirementId): boolean => /^AUTH-|^CALL-[12]$/.test(row)

/** The result of an observer, which calls the place of its evidence a check. */
function placed({ observedIn, ...result }: CheckResult): CheckResult {
  return observedIn === undefined ? result : { ...result, place: observedIn }
}

function notShown(head: CheckResult | ReturnType<typeof headOf>, reason: string): CheckResult {
  return { ...notRun(headOf(head), reason), outcome: 'not-applicable' }
}

/** Rows of which no check reads a recording, each with the reason. */
function hiddenChecks(
  rows: readonly { readonly id: RequirementId }[],
  checks: readonly { readonly requirement: string }[],
) {
  const shown = new Set(checks.map(({ requirement }) => requirement))
  return rows
    .filter(({ id }) => !shown.has(id))
    .map(({ id }) => ({
      id: `recorded.${id.toLowerCase()}`,
      requirement: id,
      title: 'not shown by a recording',
      reason: HIDDEN[id] ?? 'a recording does not show it: a request is needed that the judge chooses',
    }))
}

const HIDDEN: Readonly<Partial<Record<RequirementId, string>>> = {
  'CALL-4': 'a recording does not show what the program was asked to send',
  'CALL-5': 'attempts of a recording are recognised by their equal bodies',
  'RETRY-5': 'a recording does not show whether the program goes on',
  'RETRY-7': 'a recording does not show whether the program still waits',
  'RETRY-8': 'a recording does not show what the program would do with another message',
  'RETRY-9': 'a recording does not show which requests belong to one program',
}

function commandLine({ files, profile, subject, baseUrl }: RecordingOptions, flags: string): string {
  return [
    PROGRAM,
    'recorded',
    ...files.map(shellWord),
    ...flagWords({ 'base-url': baseUrl, profile: profile === 'service' ? undefined : profile, subject }),
    flags,
  ].join(' ')
}
