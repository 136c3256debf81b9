// The first chat request of a run. If a model has to be loaded, its answer is late, and no row is about that. The pace of the
// model is measured next, before anything else is sent.
import type { Exchange } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { memoize } from '../../../../harness/memoize.ts'
import { smallestChats } from '../../../facts/listed-models.ts'
import { measurePace } from '../../../facts/pace.ts'
import type { Pace } from '../../../contract/target.ts'
import type { SendOptions } from './send-options.ts'
import type { Sender } from './sender.ts'

interface WarmUp {
  /** The answer to such a request, if one was sent before. */
  readonly answered: Exchange | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  onPace(pace: Pace): void
}

/**
 * Wraps a sender: it sends one small chat request before all others, with its own timeout, so that the model is loaded, and
 * passes the pace of the model to `onPace`.
 */
export function warming(sender: Sender, model: string, { answered, timeoutMs, signal, onPace }: WarmUp) {
  const ask = (request: RequestSpec): Promise<Exchange> => sender.send({ ...request, timeoutMs }, { signal })
  const warm = memoize(async () => {
    try {
      let answer = answered
      if (answer === undefined)
        for (const request of smallestChats(model)) {
          answer = await ask(request)
          if (answer.response.status !== 400) break
        }
      const pace = answer && (await measurePace(answer, model, ask))
      if (pace !== undefined) onPace(pace)
    } catch {
      // The checks report an error here too, with its meaning.
    }
  })
  return {
    ...sender,
    /** Sends the first chat request, unless that has happened. Never rejects. */
    warm,
    async send(request: RequestSpec, options: SendOptions): Promise<Exchange> {
      if (request.body !== undefined && request.obey !== false) {
        options.onWait?.(true)
        await warm().finally(() => options.onWait?.(false))
      }
      return sender.send(request, options)
    },
  }
}
