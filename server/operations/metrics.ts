// The metrics, as Prometheus reads them. Labels have few values, all known beforehand: never a key, a path or a text of
// a client.
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { ApiError } from '../http/api-error.ts'
import type { Ended } from '../http/request-log.ts'
import type { GenerationContext, Generations } from '../chat/generation.ts'
import { andThen, orElse } from '../http/soon.ts'

/** Values that are read at the moment of a scrape. */
export interface Observed {
  /** Requests that wait for a slot, by model. */
  readonly queued: () => ReadonlyMap<string, number>
  /** The number of restarts of the inference child. */
  readonly engineRestarts: () => number
  /** Whether all instances share the limits, which is false while Redis is down. */
  readonly limitsShared: () => boolean
}

export type Metrics = ReturnType<typeof createMetrics>

/** The figures of one worker. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

interface ModelFigures {
  tokens: number
  /** Answers in flight. */
  inFlight: number
}

function operationOf(path: string): 'chat.completions' | 'models' | 'other' {
  if (path === '/v1/chat/completions') return 'chat.completions'
  return path === '/v1/models' || path.startsWith('/v1/models/') ? 'models' : 'other'
}

/** Seconds; from an echo to a long answer of a slow model. */
const SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Tokens per second, from a large model on few cores to the echo model. */
const RATES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000]

export function createMetrics(observed: Observed) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // All workers report the same values of their common process.
  for (const metric of registry.getMetricsAsArray())
    if (metric.name.startsWith('process_')) metric.aggregator = 'max'
  const registers = [registry]

  // The values that each request changes are plain numbers until a scrape.
  const requests = new Map<string, Map<number, number>>()
  const models = new Map<string, ModelFigures>()
  const figuresOf = (model: string): ModelFigures => {
    let figures = models.get(model)
    if (figures === undefined) models.set(model, (figures = { tokens: 0, inFlight: 0 }))
    return figures
  }

  const requestsTotal = new Counter({
    name: 'touchstone_requests_total',
    help: 'Requests under /v1, by operation and status; 429 are the refused ones.',
    labelNames: ['operation', 'status'],
    registers: [],
    collect() {
      this.reset()
      for (const [operation, statuses] of requests)
        for (const [status, count] of statuses) this.inc({ operation, status: String(status) }, count)
    },
  })
  const tokens = new Counter({
    name: 'touchstone_tokens_total',
    help: 'Tokens of prompts and answers, together.',
    labelNames: ['model'],
    registers: [],
    collect() {
      this.reset()
      for (const [model, figures] of models) this.inc({ model }, figures.tokens)
    },
  })
  const firstToken = new Histogram({
    name: 'touchstone_time_to_first_token_seconds',
    help: 'From a validated request to the first chunk of its answer.',
    labelNames: ['model'],
    buckets: SECONDS,
    registers,
  })
  const rates = new Histogram({
    name: 'touchstone_answer_tokens_per_second',
    help: 'Tokens of an answer after its first chunk, by the time from there to its end; of answers that came to it.',
    labelNames: ['model'],
    buckets: RATES,
    registers,
  })
  const answers = new Histogram({
    name: 'touchstone_answer_seconds',
    help: 'From a validated request to the end of its answer, read or given up by the client.',
    labelNames: ['model'],
    buckets: SECONDS,
    registers,
  })
  const inFlight = new Gauge({
    name: 'touchstone_answers_under_way',
    help: 'Answers that are generated, or wait for it.',
    labelNames: ['model'],
    registers: [],
    collect() {
      for (const [model, figures] of models) this.set({ model }, figures.inFlight)
    },
  })
  const overloads = new Counter({
    name: 'touchstone_overloads_total',
    help: 'Requests that a full queue, or a model that was not ready, answered with 503.',
    labelNames: ['model'],
    registers,
  })
  const queued = new Gauge({
    name: 'touchstone_queued_requests',
    help: 'Requests that wait for a slot of a local model.',
    labelNames: ['model'],
    registers: [],
    collect() {
      for (const [model, waiting] of observed.queued()) this.set({ model }, waiting)
    },
  })
  const streams = new Counter({
    name: 'touchstone_streams_total',
    help: 'Streams by how they ended: complete, client_left, or failed with an error record after their 200.',
    labelNames: ['model', 'ended'],
    registers,
  })
  const restarts = new Counter({
    name: 'touchstone_engine_restarts_total',
    help: 'How often the inference process had to be started again.',
    registers: [],
    collect() {
      this.reset()
      this.inc(observed.engineRestarts())
    },
  })
  const shared = new Gauge({
    name: 'touchstone_limits_shared',
    help: '1 while limits are counted for all instances together, 0 while this instance counts alone.',
    aggregator: 'min',
    registers: [],
    collect() {
      this.set(observed.limitsShared() ? 1 : 0)
    },
  })

  for (const metric of [queued, shared, inFlight]) registry.registerMetric(metric)
  for (const metric of [restarts, tokens]) registry.registerMetric(metric)
  registry.registerMetric(requestsTotal)
  return {
    /** Counts a request whose answer begins, by its operation instead of its path. */
    countRequest(path: string, status: number): void {
      const operation = operationOf(path)
      let statuses = requests.get(operation)
      if (statuses === undefined) requests.set(operation, (statuses = new Map()))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },

    /** A stream that has ended. */
    countStream(model: string, ended: Ended): void {
      streams.inc({ model, ended })
    },

    /** Wraps generations so that they are measured. */
    measured: (generations: Generations): Generations => ({
      ...generations,
      start(engine, request, context) {
        const { model } = request
        const startedAt = performance.now()
        const figures = figuresOf(model)
        figures.inFlight += 1
        let firstAt: number | undefined
        const measured: GenerationContext = {
          ...context,
          onTokens(used) {
            const { total, afterFirst = 0 } = used
            const now = performance.now()
            figures.inFlight -= 1
            figures.tokens += total
            answers.observe({ model }, (now - startedAt) / 1000)
            if (firstAt !== undefined && afterFirst > 0)
              rates.observe({ model }, (afterFirst * 1000) / (now - firstAt))
            context.onTokens(used)
          },
        }
        return orElse(
          () =>
            andThen(generations.start(engine, request, measured), (generation) => {
              firstAt = performance.now()
              firstToken.observe({ model }, (firstAt - startedAt) / 1000)
              return generation
            }),
          (error) => {
            if (error instanceof ApiError && error.status === 503) overloads.inc({ model })
            throw error
          },
        )
      },
    }),

    /** The figures, to be sent to another thread. */
    figures: (): Promise<Figures> => registry.getMetricsAsJSON(),

    /** The text for a scrape, and its content type. */
    scrape: async () => ({
      contentType: String(registry.contentType),
      text: await registry.metrics(),
    }),
  }
}

/** The figures of all workers together. */
export function createGatheredMetrics(gather: () => Promise<Figures[]>): Pick<Metrics, 'scrape'> {
  return {
    async scrape() {
      const registry = AggregatorRegistry.aggregate(await gather())
      return { contentType: String(registry.contentType), text: await registry.metrics() }
    },
  }
}
