// The quiet client, seen from the main thread: measurements since the last report, and a message for every slow answer.
import { once } from 'node:events'
import { z } from 'zod'
import { startOwnThread } from '../../../harness/program.ts'

const settings = z.object({
  baseUrl: z.string(),
  key: z.string(),
  authHeader: z.string().optional(),
  model: z.string(),
  /** The longest time for one answer; after that it is lost. */
  timeoutMs: z.number(),
  /** An answer that takes longer is reported at once. */
  slowMs: z.number(),
})
export const quietSettings = (value: unknown) => settings.parse(value)

const figures = z.object({
  /** The number of answers, and of requests that a late answer delayed. */
  answers: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  /** The number of answers other than 200, by path and status. */
  lost: z.record(z.number()),
})
export type QuietFigures = z.infer<typeof figures>

const slow = z.object({ ms: z.number(), path: z.string() })

const message = z.union([z.object({ figures }), z.object({ slow })])

export async function startQuietClient(
  settings: ReturnType<typeof quietSettings>,
  onSlow: (answer: z.infer<typeof slow>) => void,
) {
  const thread = startOwnThread(new URL('quiet-thread', import.meta.url), {
    workerData: settings,
  })
  let reported = Promise.withResolvers<QuietFigures>()
  thread.on('message', (value: unknown) => {
    const read = message.parse(value)
    if ('slow' in read) onSlow(read.slow)
    else reported.resolve(read.figures)
  })
  thread.on('error', (error) => reported.reject(error))
  await once(thread, 'online')
  return {
    /** The measurements since the last report. */
    report(): Promise<QuietFigures> {
      reported = Promise.withResolvers()
      thread.postMessage('report', [])
      return reported.promise
    },
    close: async () => void (await thread.terminate()),
  }
}
