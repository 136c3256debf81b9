import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Creates 150 MB of garbage, reports work, waits, and prints the growth of the process in MiB. */
const script = (isBusy: boolean): string => `
  const { createIdleCollector } = await import(${JSON.stringify(new URL('idle-memory.ts', import.meta.url).href)})
  const worked = createIdleCollector(() => ${isBusy})
  const before = process.memoryUsage.rss()
  let held = Array.from({ length: 150 }, () => Array.from({ length: 131_072 }, Math.random))
  held = undefined
  worked()
  setTimeout(() => console.log((process.memoryUsage.rss() - before) / 1048576), 2500)
`

async function growth(isBusy: boolean): Promise<number> {
  const words = ['--expose-gc', '--input-type=module', '-e', script(isBusy)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return Number(stdout)
}

test.concurrent('an idle process returns the memory of its work', async () => {
  expect(await growth(false)).toBeLessThan(50)
})

test.concurrent('a busy process is not interrupted by a collection', { tags: 'slow' }, async () => {
  expect(await growth(true)).toBeGreaterThan(100)
})
