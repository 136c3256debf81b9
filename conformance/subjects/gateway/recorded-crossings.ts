// A gateway in a bundle: each crossing as a line, and crossings that are read in place of requests.
import { callOf, createCallWriter } from '../../bundle/call-lines.ts'
import { type CrossingLine, type GatewayLine, type Line, createLineReader } from '../../bundle/lines.ts'
import type { RunRecorder } from '../../bundle/record-run.ts'
import type { NotRecorded } from '../../bundle/replaying-transport.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { listAt } from '../../../harness/json-value.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import { clockMs } from '../../../harness/scripted-service/measuring-clock.ts'
import { type Crossings, type GatewayBench, messagesAndRest, sentBody, turnsOf, withOthers } from './cross.ts'
import type { Crossing, GatewayScenario, RequestBody, RunFacts } from './crossing.ts'

type Recording = Pick<RunRecorder, 'standIns' | 'hear'> & Pick<GatewayBench, 'model' | 'service'>

/** Records each crossing when it has ended. */
export function recordCrossings(
  crossings: Crossings,
  { clientKey, upstreamKey, listed }: RunFacts,
  { standIns, hear, model, service }: Recording,
): Crossings {
  const writer = createCallWriter(standIns, clockMs())
  hear({
    kind: 'gateway',
    model,
    ...(listed === undefined ? {} : { listed: [...listed] }),
    upstream: service.origin,
    clientKey: clientKey === '' ? '' : standIns.of(clientKey),
    upstreamKey: standIns.of(upstreamKey),
  })

  function write(crossing: Crossing): void {
    const { scenario, words, sent, sentMs, sentAtMs, answer, failure, leftMs, calls, strays, busyMs, held } =
      crossing
    const request = answer?.request ?? failure?.request
    hear({
      kind: 'crossing',
      scenario,
      words,
      sent: writer.body(JSON.stringify(sent)),
      sentMs: writer.since(sentMs),
      sentAtMs,
      ...(request === undefined ? {} : writer.exchange(request, answer)),
      ...(failure === undefined
        ? {}
        : {
            error: {
              message: standIns.text(failure.message),
              isLate: failure.isLate,
              isSilence: failure.isSilence,
            },
          }),
      ...writer.optional('leftMs', leftMs),
      calls: calls.map(writer.call),
      strays: strays.map(writer.call),
      ...(busyMs === undefined ? {} : { busyMs: Math.round(busyMs) }),
      held: [...held],
    })
  }

  return {
    ...crossings,
    async cross(scenario) {
      const own = await crossings.cross(scenario)
      for (const crossing of own) write(crossing)
      return own
    },
  }
}

/** Reads crossings: each scenario gets those that were recorded for the same request, in their order. */
export function replayCrossings(lines: readonly Line[], signal: AbortSignal) {
  const reader = createLineReader()
  const recorded = new Map<string, Crossing[]>()
  const missing: NotRecorded[] = []
  let ready: GatewayLine | undefined
  for (const line of lines) {
    if (line.kind === 'gateway') ready = line
    if (line.kind !== 'crossing') continue
    const crossing = crossingOf(line, reader)
    recorded.set(line.scenario, [...(recorded.get(line.scenario) ?? []), crossing])
  }
  if (ready === undefined) throw new TypeError('the bundle of a gateway has no line about it')
  const { model } = ready
  const bench: Crossings = {
    async cross(scenario) {
      const own = recorded.get(scenario.name) ?? []
      const turns = turnsOf(scenario)
      const sent = turns.flatMap(({ requests, idle }) => requests.map((request) => ({ request, idle })))
      const next = own.slice(0, sent.length * (scenario.together ?? 1))
      const difference = next
        .map((crossing, place) =>
          differenceOf(crossing, sent[place % sent.length]?.request ?? {}, scenario, model),
        )
        .find(Boolean)
      if (next.length > 0 && difference === undefined) {
        own.splice(0, next.length)
        const crossings = next.map((crossing, place) =>
          Object.assign({}, crossing, { idle: sent[place % sent.length]?.idle }),
        )
        return sent.length === 1 ? crossings : withOthers(crossings)
      }
      const why = difference ?? `the bundle has no further crossing of ${scenario.name}`
      const ids =
        scenario.checks.length === 0 ? [`gate.${scenario.name}`] : scenario.checks.map(({ id }) => id)
      missing.push(...ids.map((check) => ({ check, difference: why })))
      return []
    },
    stopUpstream: async () => {},
    signal,
  }
  return { bench, ready, missing: (): readonly NotRecorded[] => missing }
}

/** How the request of a scenario differs from the recorded one, but for its prompt. */
function differenceOf(
  { sent }: Crossing,
  request: RequestBody,
  scenario: GatewayScenario,
  recordedModel: string,
): string | undefined {
  const { messages, rest } = messagesAndRest(request)
  const model = scenario.model ?? recordedModel
  const now = JSON.stringify(sentBody(JSON.stringify({ model, messages, ...rest })))
  const { messages: _, model: name, ...others } = sent
  const before = JSON.stringify({ model: name, messages: listAt(sent, 'messages').slice(1), ...others })
  return before === now
    ? undefined
    : `recorded ${before.slice(0, 200)}, this version sends ${now.slice(0, 200)}`
}

function crossingOf(line: CrossingLine, reader: ReturnType<typeof createLineReader>): Crossing {
  // In the order in which they were written, since a later body may refer to an earlier one.
  const sent = sentBody(reader.body(line.sent).toString('utf8'))
  const request = line.request && reader.request(line.request)
  const response = line.response && reader.response(line.response)
  const { timings = { firstByteMs: 0, totalMs: 0 }, error } = line
  const answer: Exchange | undefined =
    request === undefined || response === undefined ? undefined : { request, response, timings }
  const isFailure = error !== undefined && request !== undefined
  return {
    scenario: line.scenario,
    words: line.words,
    sent,
    sentMs: line.sentMs,
    sentAtMs: line.sentAtMs,
    answer,
    failure: isFailure ? new TransportError(error.message, request, error) : undefined,
    leftMs: line.leftMs,
    calls: line.calls.map((call) => callOf(call, reader)),
    strays: line.strays.map((call) => callOf(call, reader)),
    busyMs: line.busyMs,
    held: line.held,
  }
}
