// What the judge and the process of the scripted service say to each other.
import { z } from 'zod'
import type { Call } from './call.ts'

/** A scenario's address as the service opens it; its script is found by its name. */
export const served = z.object({
  name: z.string(),
  /** Where completions are asked for: a path, from the root. */
  path: z.string(),
  /** Of the good answer. */
  text: z.string(),
  model: z.string(),
  /** So many requests are answered together. */
  together: z.number(),
})
export type Served = z.infer<typeof served>

/** What the judge says. */
export const order = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), served }),
  /** Answered by `settled` behind everything that was seen before. */
  z.object({ kind: z.literal('settle') }),
])
export type Order = z.infer<typeof order>

/** What the service says. */
export const news = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('listening'), origin: z.string() }),
  /** A request as it stands now, and its place among those of its scenario. */
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
