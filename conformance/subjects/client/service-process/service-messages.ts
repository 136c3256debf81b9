// The messages between the judge and the process of the scripted service.
import { z } from 'zod'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import type { Served } from '../../../../harness/scripted-service/scripted-service.ts'

const isObject = (value: unknown): boolean => typeof value === 'object'

/** Messages of the judge. */
export const order = z.discriminatedUnion('kind', [
  /** The service finds the script of a scenario by its name. */
  z.object({ kind: z.literal('open'), served: z.custom<Served>(isObject) }),
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
    call: z.custom<Call>(isObject),
  }),
  z.object({ kind: z.literal('delay'), fromMs: z.number(), toMs: z.number() }),
  z.object({ kind: z.literal('settled') }),
  /** An error that nothing caught, and the scenario whose requests it answered. */
  z.object({
    kind: z.literal('fault'),
    message: z.string(),
    stack: z.string(),
    name: z.string().optional(),
  }),
])
export type News = z.infer<typeof news>
