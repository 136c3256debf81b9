// The messages between the judge and the process of the scripted service.
import { z } from 'zod'
import type { Call } from '../../../../harness/scripted-service/call.ts'

/** An open scenario; the service finds its script by its name. */
export const served = z.object({
  name: z.string(),
  /** The path for completions, from the root. */
  path: z.string(),
  /** The key of the program: it shows the scenario of a request to another path. */
  key: z.string(),
  /** The text of the good answer. */
  text: z.string(),
  model: z.string(),
  /** The number of requests that are answered together. */
  together: z.number(),
})
export type Served = z.infer<typeof served>

/** Messages of the judge. */
export const order = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), served }),
  /** Answered by `settled`, after all earlier messages. */
  z.object({ kind: z.literal('settle') }),
])
export type Order = z.infer<typeof order>

/** Messages of the service. */
export const news = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('listening'), origin: z.string() }),
  /** The current state of a request, and its index among those of its scenario. */
  z.object({
    kind: z.literal('call'),
    name: z.string(),
    place: z.number(),
    call: z.custom<Call>((value) => typeof value === 'object'),
  }),
  z.object({ kind: z.literal('delay'), fromMs: z.number(), toMs: z.number() }),
  z.object({ kind: z.literal('settled') }),
])
export type News = z.infer<typeof news>
