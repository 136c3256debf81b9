// Judges recordings from their files to the report, and sends nothing. Each service in them is judged by itself; the report
// has the worst end of each check.
import { headOf } from '../../contract/check.ts'
import { isPreflight } from '../../contract/observer.ts'
import { OUTCOMES } from '../../contract/outcome.ts'
import type { Report } from '../../contract/report.ts'
import { type CheckResult, notApplicable } from '../../contract/result.ts'
import { selector } from '../../contract/selection.ts'
import type { RecordedSubject, Settings } from '../../contract/settings.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { PROGRAM } from '../../../harness/program.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import { beginReport } from '../../report/begin-report.ts'
import { flagWords, shellWord } from '../../report/show-exchange.ts'
import { readRecording } from '../../exchanges/read-recording.ts'
import { hiddenChecks } from './hidden-rows.ts'
import { type JudgedSides, type ServiceJudge, createServiceJudge } from './judge-service.ts'
import { recordedObservers } from './recorded-observers.ts'
import * as services from './services.ts'

export interface RecordingOptions extends Pick<
  Settings,
  'profile' | 'strict' | 'only' | 'seed' | 'baseline' | 'allowIncomplete' | 'baseUrl'
> {
  readonly files: readonly string[]
  readonly tier?: Settings['tier']
  /** Default: both. */
  readonly subject?: RecordedSubject | undefined
  readonly signal?: AbortSignal
  /** Gets an error of the judge itself: the report then has no verdict. */
  readonly onFault?: (message: string) => void
  /** Bytes of a file that are read. */
  readonly onProgress?: (bytes: number, file: string) => void
}

/**
 * Judges recordings, one after the other, as one. Throws `UsageError` for a file that is not a recording, and if no request
 * to a service was recorded. A report without a completion that could be judged has no exit code of 0.
 */
export async function judgeRecordings(
  options: RecordingOptions,
  { server, client }: JudgedSides,
  redactor: Redactor,
): Promise<Report> {
  const { files, profile, strict, only, tier, subject, signal, baseUrl, onFault = () => {} } = options
  const rows = [
    ...(subject === 'client' ? [] : server.rows(profile)),
    ...(subject === 'server' ? [] : client.rows('service')),
  ]
  const isRow = selector({ rows })
  const wanted = selector({ rows, only, tier })
  const observers = [...recordedObservers, ...server.catalogue.observers].filter(isRow)
  const { recordedCalls } = client
  const ofCalls = recordedCalls.checks.filter(isRow)
  const hidden = hiddenChecks(rows, [...observers, ...ofCalls])
  const all = [...observers, ...ofCalls, ...hidden]
  const run = beginReport(
    { subject: 'recording', rows, checks: all, selected: all.filter(wanted).length },
    options,
    redactor,
  )

  const counts = { entries: 0, elsewhere: 0, preflights: 0, doubles: 0 }
  const unread = new Map<string, { count: number; readonly place: string }>()
  const judges = new Map<services.ServiceAddress, ServiceJudge>()
  const onCrash = (error: unknown): void => run.fault(error, onFault)
  await run.contain(signal ?? new AbortController().signal, onFault, async (ends) => {
    const reading = { ...options, signal: ends }
    const addresses = baseUrl === undefined ? await servicesIn(reading, onCrash) : services.meantBy(baseUrl)
    for await (const { read, place } of readAll(reading, onCrash)) {
      counts.entries += 1
      const address = services.addressOf(read)
      const service = address === undefined ? undefined : services.serviceOf(address, addresses)
      if (service === undefined && (!('unread' in read) || URL.canParse(address ?? ''))) {
        counts.elsewhere += 1
        continue
      }
      if (service !== undefined && !judges.has(service)) {
        const of = { baseUrl: services.baseUrlOf(service), profile, strict, observers, recordedCalls, wanted }
        judges.set(service, createServiceJudge(of))
      }
      if ('unread' in read) {
        const { count, place: first } = unread.get(read.unread) ?? { count: 0, place }
        unread.set(read.unread, { count: count + 1, place: first })
      } else if (isPreflight(read.exchange.request)) counts.preflights += 1
      else if (read.isDouble === true) counts.doubles += 1
      else if (service !== undefined)
        try {
          judges.get(service)?.see(services.underService(read.exchange, service), place)
        } catch (error) {
          // An error of the judge on this entry says nothing of the others.
          onCrash(error)
        }
    }
  })
  const judged = [...judges.values()]
  if (judged.length === 0) {
    const what = baseUrl === undefined ? 'that ends in /chat/completions or /models' : `of ${baseUrl}`
    throw new UsageError(`${files.join(', ')}: no request ${what} was recorded`)
  }
  const sum = (of: (judge: ServiceJudge) => number): number => judged.reduce((all, one) => all + of(one), 0)
  const completions = sum((judge) => judge.counts.completions)
  const report = run.finish({
    target: {
      baseUrl: judged.map((judge) => judge.baseUrl).join(', '),
      profile,
      model: [...new Set(judged.flatMap(({ models }) => [...models]))].join(', '),
      facts: () => [
        { name: 'entries', value: counts.entries, learned: files.join(', ') },
        ...judged.map(({ baseUrl: name, counts: { exchanges, completions: readable } }) => ({
          name: `exchanges of ${name}`,
          value: exchanges,
          learned: `completions that can be judged: ${readable}`,
        })),
        ...fact(
          'exchanges without an answer',
          sum((judge) => judge.counts.unanswered),
        ),
        ...fact('requests to other addresses, not judged', counts.elsewhere),
        ...fact('CORS preflights, not judged', counts.preflights),
        ...fact('entries of an exchange that was recorded before, not judged again', counts.doubles),
        ...[...unread].map(([reason, { count, place }]) => ({
          name: `entries that cannot be judged: ${reason}`,
          value: count,
          learned: `first ${place}`,
        })),
      ],
    },
    results: [
      ...worstOfEach(judged.map((judge) => judge.results())),
      ...hidden.filter(wanted).map(({ reason, ...check }) => notApplicable(headOf(check, profile), reason)),
    ],
    requests: sum((judge) => judge.counts.exchanges),
    tokens: {
      prompt: sum((judge) => judge.tokens().prompt),
      completion: sum((judge) => judge.tokens().completion),
    },
    interrupted: signal?.aborted === true,
    commandLine: (flags) => commandLine(options, flags),
  })
  const isUnseen = completions === 0 && subject !== 'client'
  return isUnseen && report.exitCode === 0 ? { ...report, exitCode: 3 } : report
}

/**
 * Every piece of every file, with its place, until the signal ends the reading. A file that the judge itself fails to read
 * ends there, with its error in `onCrash`.
 */
async function* readAll(
  { files, signal, onProgress = () => {} }: RecordingOptions,
  onCrash: (error: unknown) => void,
) {
  for (const file of files)
    try {
      for await (const read of readRecording(file, (bytes) => onProgress(bytes, file))) {
        if (signal?.aborted === true) return
        yield { read, place: `${read.place}${files.length > 1 ? ` of ${file}` : ''}` }
      }
    } catch (error) {
      if (error instanceof UsageError) throw error
      onCrash(error)
    }
}

/** Reads the files once for the services in them: an address may show only behind others what service it belongs to. */
async function servicesIn(
  options: RecordingOptions,
  onCrash: (error: unknown) => void,
): Promise<readonly services.ServiceAddress[]> {
  const search = services.createServiceSearch()
  for await (const { read } of readAll(options, onCrash)) search.see(read)
  return search.found()
}

function fact(name: string, value: number) {
  return value === 0 ? [] : [{ name, value, learned: 'the recording' }]
}

/** The results of several services, each in the same order, as one: the worst of each check. */
function worstOfEach(all: readonly (readonly CheckResult[])[]): readonly CheckResult[] {
  const rank = ({ outcome }: CheckResult): number => OUTCOMES.indexOf(outcome)
  return all.reduce((one, other) =>
    one.map((result, at) => {
      const second = other[at] ?? result
      return rank(second) < rank(result) ? second : result
    }),
  )
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
