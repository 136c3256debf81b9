// A gateway in a bundle: the exchanges of each crossing on both sides, and crossings that are read in place of requests.
import type { RunRecorder } from '../../bundle/record-run.ts'
import { callOf } from '../../bundle/recorded-calls.ts'
import type { NotRecorded } from '../../bundle/replaying-transport.ts'
import { CHAT_PATH } from '../../contract/target.ts'
import { createExchangeReader } from '../../exchanges/line-codec.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import type { RecordingLine } from '../../exchanges/recording-line.ts'
import { listAt } from '../../../harness/json-value.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import { type Crossings, type GatewaySetup, messagesAndRest, sentBody, turnsOf, withOthers } from './cross.ts'
import type { Crossing, GatewayScenario, RequestBody, RunFacts } from './crossing.ts'

type Recording = RunRecorder & Pick<GatewaySetup, 'model' | 'service'>

/** Records each crossing when it has ended. */
export function recordCrossings(
  crossings: Crossings,
  { clientKey, upstreamKey, listed }: RunFacts,
  { standIns, exchange, call, since, facts, model, service }: Recording,
): Crossings {
  let count = 0
  facts.gateway = {
    model,
    ...(listed === undefined ? {} : { listed: [...listed] }),
    upstream: service.origin,
    clientKey: clientKey === '' ? '' : standIns.of(clientKey),
    upstreamKey: standIns.of(upstreamKey),
  }

  function write(crossing: Crossing): void {
    const { scenario: by, words, sent, sentMs, sentAtMs, answer, failure, leftMs, busyMs, held } = crossing
    const name = String((count += 1))
    const left = {
      method: 'POST',
      url: '',
      path: CHAT_PATH,
      headers: [],
      body: Buffer.from(JSON.stringify(sent)),
    }
    exchange({
      hop: 'client',
      name,
      by,
      atMs: since(sentMs),
      startedAtMs: sentAtMs,
      request: answer?.request ?? failure?.request ?? left,
      response: answer?.response ?? null,
      timings: answer?.timings ?? NO_TIMES,
      ...(failure && { error: failure.message }),
      ...(failure?.isLate === true && { isLate: true }),
      ...(failure?.isSilence === true && { isSilence: true }),
      crossing: {
        words,
        held: [...held],
        ...(leftMs === undefined ? {} : { leftMs: since(leftMs) }),
        ...(busyMs === undefined ? {} : { busyMs: Math.round(busyMs) }),
      },
    })
    for (const own of [...crossing.calls, ...crossing.strays]) call(own, { by, name })
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

const NO_TIMES = { firstByteMs: 0, totalMs: 0 }

/** The crossings of a recording by their scenarios. */
function crossingsIn(lines: readonly RecordingLine[]): Map<string, Crossing[]> {
  const exchangeOf = createExchangeReader()
  const exchanges = lines.filter((line) => line.kind === 'exchange').map(exchangeOf)
  const calls = Map.groupBy(
    exchanges.filter(({ hop }) => hop === 'upstream'),
    ({ name }) => name,
  )
  const crossings = exchanges
    .filter(({ hop }) => hop === 'client')
    .map((exchange) => crossingOf(exchange, (calls.get(exchange.name) ?? []).map(callOf)))
  return Map.groupBy(crossings, ({ scenario }) => scenario)
}

/** Reads crossings: each scenario gets those that were recorded for the same request, in their order. */
export function replayCrossings(lines: readonly RecordingLine[], signal: AbortSignal) {
  const recorded = crossingsIn(lines)
  const missing: NotRecorded[] = []
  const ready = lines.find((line) => line.kind === 'run')?.gateway
  if (ready === undefined) throw new TypeError('the bundle of a gateway has no facts about it')
  const { model } = ready
  const gateway: Crossings = {
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
  return { gateway, ready, missing: (): readonly NotRecorded[] => missing }
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

/** The crossing of a request of the client. */
function crossingOf(exchange: RecordedExchange, calls: readonly Call[]): Crossing {
  const { by = '', atMs = 0, startedAtMs, request, response, timings, error, crossing } = exchange
  const { isLate = false, isSilence = false } = exchange
  return {
    scenario: by,
    words: crossing?.words ?? '',
    sent: sentBody(Buffer.from(request.body ?? []).toString('utf8')),
    sentMs: atMs,
    sentAtMs: startedAtMs,
    answer: response === null ? undefined : { request, response, timings },
    failure: error === undefined ? undefined : new TransportError(error, request, { isLate, isSilence }),
    leftMs: crossing?.leftMs,
    calls: calls.filter(({ kind }) => kind === 'attempt'),
    strays: calls.filter(({ kind }) => kind === 'stray'),
    busyMs: crossing?.busyMs,
    held: crossing?.held ?? [],
  }
}
