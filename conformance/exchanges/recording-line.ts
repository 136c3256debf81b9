// The lines of a recording, `touchstone.capture/1`: JSON Lines, of which each says one thing that a run saw, in the order in
// which they ended. Programs read captures: members are added, never renamed or removed.
import { z } from 'zod'
import { MOST_HEADERS } from '../../harness/http/exchange.ts'

export const CAPTURE_SCHEMA = 'touchstone.capture/1'

const count = z.number().int().nonnegative()
const ms = z.number().nonnegative()
/** Milliseconds since the run began; negative for the preparations of the judge. */
const time = z.number()
const headers = z
  .array(z.tuple([z.string(), z.string()]).readonly())
  .max(MOST_HEADERS)
  .readonly()

/** A body is text if it is UTF-8, else base64. */
const body = {
  body: z.string().optional(),
  bodyBase64: z.string().base64().optional(),
  /** The place of an equal body among the bodies before it, in a bundle. */
  bodySame: count.optional(),
  /** The size of the whole body, in bytes, if only its beginning was kept. */
  bodyCutFromBytes: count.optional(),
  /** The digest of a large body of a request, which the seed makes again. */
  bodySha256: z.string().optional(),
}

/** The first line. */
const runLine = z.strictObject({
  kind: z.literal('run'),
  schema: z.literal(CAPTURE_SCHEMA),
  /** The address of the service, without `/v1`. */
  baseUrl: z.string(),
  startedAt: z.string().datetime(),
  /** The answers of a gateway before the first crossing. */
  gateway: z
    .strictObject({
      model: z.string(),
      /** The models that it lists; left out if it has no list. */
      listed: z.array(z.string()).optional(),
      /** The address of the scripted upstream. */
      upstream: z.string(),
      clientKey: z.string(),
      upstreamKey: z.string(),
    })
    .optional(),
  /** The delays of the judge's own timers, from and to. */
  delays: z.array(z.tuple([time, time])).optional(),
})

/** The members of an exchange beside its request and answer, which only some runs know. */
const about = z.strictObject({
  /** The side of a gateway on which it was seen; `upstream` also for a request to a scripted service. */
  hop: z.enum(['client', 'upstream']).optional(),
  /** The exchanges of both sides of a gateway that belong together. */
  name: z.string().optional(),
  /** The check or the scenario that sent it; left out for a request of the run itself. */
  by: z.string().optional(),
  /** Which request of that check it is, from 0. */
  ordinal: count.optional(),
  /** When it was sent. */
  atMs: time.optional(),
  /** The reason why there is no answer. `received`: the response holds the bytes that the HTTP parser refused. */
  error: z.string().optional(),
  isLate: z.literal(true).optional(),
  isSilence: z.literal(true).optional(),
  received: z.literal(true).optional(),
  reconnected: z.literal(true).optional(),
  /** The judge left before the end: the response is what had come until then. */
  left: z.literal(true).optional(),
  /** A request to a scripted service. */
  call: z
    .strictObject({
      kind: z.enum(['attempt', 'stray', 'elsewhere']),
      /** The written part of the answer: the sizes of its pieces, and when its last byte was written. */
      written: z
        .strictObject({
          end: z.enum(['complete', 'cut', 'endless', 'stalled', 'silent', 'reset']),
          pieces: z.array(count),
          lastByteMs: ms.optional(),
        })
        .optional(),
      /** When the other side closed the connection before the end of the answer. */
      hungUpMs: time.optional(),
    })
    .optional(),
  /** A request of the judge to a gateway. */
  crossing: z
    .strictObject({
      words: z.string(),
      /** Texts that were held back. */
      held: z.array(z.string()),
      leftMs: time.optional(),
      /** The longest delay of the timers of the judge meanwhile, if it was long. */
      busyMs: time.optional(),
    })
    .optional(),
})

const exchangeLine = about.extend({
  kind: z.literal('exchange'),
  startedAt: z.string().datetime(),
  request: z.strictObject({
    method: z.string(),
    url: z.string(),
    /** The path that the specification has for it, with its query. */
    path: z.string(),
    headers,
    ...body,
  }),
  /** Null if no answer came. */
  response: z
    .strictObject({
      status: z.number().int(),
      headers,
      ...body,
      /** The arrival of each piece of the body, in milliseconds since the request began, and its size in bytes. */
      pieces: z.array(z.tuple([ms, count])),
      end: z.enum(['complete', 'hung-up', 'left-open', 'broken', 'timeout', 'too-large']),
      broken: z.string().optional(),
    })
    .nullable(),
  timings: z.strictObject({ firstByteMs: ms, totalMs: ms }),
})

/** A judged program in one scenario, whose requests are the exchanges by that scenario. */
const programLine = z.strictObject({
  kind: z.literal('program'),
  scenario: z.string(),
  baseUrl: z.string(),
  key: z.string(),
  /** The task of the program and the text of the good answer, which the seed makes again. */
  task: z.string(),
  text: z.string(),
  boundMs: ms,
  stoppedMs: time.optional(),
  ends: z.array(
    z.strictObject({
      exitCode: z.number().int().nullable(),
      signal: z.string().nullable(),
      isOverdue: z.boolean(),
      stdout: z.string(),
      stderr: z.string(),
    }),
  ),
})

const keyLine = z.strictObject({
  kind: z.literal('key'),
  /** The request to the key command: `create` with its options, or `revoke` with an id. */
  asked: z.string(),
  atMs: ms,
  totalMs: ms,
  /** The key that was made; its secret is a stand-in. */
  made: z.strictObject({ id: z.string(), secret: z.string() }).optional(),
  error: z.string().optional(),
})

const waitLine = z.strictObject({
  kind: z.literal('wait'),
  by: z.string().optional(),
  atMs: ms,
  /** The wait that was due, and its real length. */
  ms,
  totalMs: ms,
})

export const lineSchema = z.discriminatedUnion('kind', [
  runLine,
  exchangeLine,
  programLine,
  keyLine,
  waitLine,
])

export type RecordingLine = z.output<typeof lineSchema>
export type RunLine = z.output<typeof runLine>
export type ExchangeLine = z.output<typeof exchangeLine>
export type ExchangeFacts = z.output<typeof about>
export type ProgramLine = z.output<typeof programLine>
export type KeyLine = z.output<typeof keyLine>
export type WaitLine = z.output<typeof waitLine>
