// The first chat request of a run, which a model that has to be loaded answers late: no row is about that.
import { memoize } from '../../harness/memoize.ts'
import { smallestChats } from '../target/models.ts'
import type { Sender } from './sender.ts'

/**
 * A sender that lets one small chat request go before all others and gives it a bound of its own: a model that has to be
 * loaded is late once, and no row is about that.
 */
export function warming(sender: Sender, model: string, timeoutMs: number, signal: AbortSignal): Sender {
  const warm = memoize(async () => {
    for (const request of smallestChats(model)) {
      // What goes wrong here meets the checks too, which say what it means.
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
