// The first chat request of a run. If a model has to be loaded, its answer is late, and no row is about that.
import { memoize } from '../../harness/memoize.ts'
import { smallestChats } from './models.ts'
import type { Sender } from '../runner/sender.ts'

/**
 * Wraps a sender: it sends one small chat request before all others, with its own timeout, so that the model is loaded.
 */
export function warming(sender: Sender, model: string, timeoutMs: number, signal: AbortSignal): Sender {
  const warm = memoize(async () => {
    for (const request of smallestChats(model)) {
      // The checks report an error here too, with its meaning.
      const answer = await sender.send({ ...request, timeoutMs }, { signal }).catch(() => undefined)
      if (answer?.response.status !== 400) return
    }
  })
  return {
    ...sender,
    async send(request, options) {
      if (request.body !== undefined && request.obey !== false) {
        options.onWait?.(true)
        await warm().finally(() => options.onWait?.(false))
      }
      return sender.send(request, options)
    },
  }
}
