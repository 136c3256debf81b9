// Detects the first answer of a run: k6 starts with a delay.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 50

/** Resolves when one of the files contains an answer, or when `until` is aborted. */
export async function untilFirstAnswer(files: readonly string[], until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
    if (texts.some((text) => text.includes('"http_req_duration","type":"Point"'))) return
    await sleep(EVERY_MS, undefined, { signal: until }).catch(() => undefined)
  }
}
