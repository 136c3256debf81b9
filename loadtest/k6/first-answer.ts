// Detects the first answer of a run: k6 starts with a delay.
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 50

/** Resolves when one of the files contains an answer, or when `until` is aborted. */
export async function untilFirstAnswer(files: readonly string[], until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    for (const file of files)
      if ((await beginning(file)).includes('"http_req_duration","type":"Point"')) return
    await sleep(EVERY_MS, undefined, { signal: until }).catch(() => undefined)
  }
}

/** The first bytes of a file: k6 writes all metrics of an answer together. */
async function beginning(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined)
  if (handle === undefined) return ''
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16 * 1024), 0, 16 * 1024, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
