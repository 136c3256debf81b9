import { EventEmitter } from 'node:events'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { UncaughtError, contain, containPart, outsideOfScopes } from './containment.ts'

const fail = (): never => {
  throw new Error('thrown')
}

/** Each starts work of which nothing catches the error. */
const WAYS = {
  timer: () => void setTimeout(fail, 1),
  immediate: () => void setImmediate(fail),
  microtask: () => queueMicrotask(fail),
  'next tick': () => process.nextTick(fail),
  rejection: () => void Promise.reject(new Error('thrown')),
  decoder: () => createGunzip().on('data', fail).end(gzipSync('a')),
  'decoder without a listener': () => createGunzip().end('garbage'),
  'emitter in a timer': () => void setTimeout(() => new EventEmitter().emit('error', new Error('thrown')), 1),
}
const ways = Object.entries(WAYS)

test.each(ways)('an error of a %s ends its part, with its stack', async (_, start) => {
  const heard: unknown[] = []
  await contain(
    (error) => heard.push(error),
    async () => {
      const part = containPart(
        async () => {
          start()
          await sleep(60_000, undefined, { ref: false })
        },
        (error) => heard.push(error),
      )
      await expect(part).rejects.toThrow(UncaughtError)
      await expect(part).rejects.toHaveProperty(
        'stack',
        expect.stringMatching(/UncaughtError: Error: (thrown|incorrect)[^]*\n {4}at /),
      )
    },
  )
  expect(heard).toEqual([])
})

test.each(ways)('an error of a %s of no part goes to the run, and the run goes on', async (_, start) => {
  const heard = Promise.withResolvers<unknown>()
  const result = await contain(heard.resolve, async () => {
    start()
    await expect(heard.promise).resolves.toBeInstanceOf(Error)
    return 7
  })
  expect(result).toBe(7)
})

test('parts side by side get only their own errors, late ones too', async () => {
  const late: string[] = []
  await contain(fail, async () => {
    const part = (name: string, ms: number): Promise<string> =>
      containPart(
        async () => {
          setTimeout(() => {
            throw new Error(name)
          }, ms)
          return name
        },
        ({ original }) => late.push(`${name} ${(original as Error).message}`),
      )
    expect(await Promise.all([part('a', 20), part('b', 10), part('c', 1)])).toEqual(['a', 'b', 'c'])
    await expect.poll(() => late).toEqual(['c c', 'b b', 'a a'])
  })
})

test('nothing of the process is changed after the last of several runs', async () => {
  const before = [process.emit, process.eventNames(), process.listenerCount('uncaughtException')]
  await Promise.all([contain(fail, () => sleep(20)), contain(fail, () => sleep(1))])
  await expect(contain(fail, async () => fail())).rejects.toThrow('thrown')
  expect([process.emit, process.eventNames(), process.listenerCount('uncaughtException')]).toEqual(before)
})

/** The program of a host, which has a contained run and an error of its own, or of a callback that the run calls. */
const host = (body: string): string => `
  import { workerData } from 'node:worker_threads'
  const { contain, outsideOfScopes } = await import(workerData)
  const fail = () => { throw new Error('of the host') }
  ${body}`

test.each([
  [
    'has an error of its own',
    'setTimeout(fail, 1); await contain(() => {}, () => new Promise((done) => setTimeout(done, 1000)))',
  ],
  [
    'fails in a callback that the run calls',
    'const call = outsideOfScopes(() => setTimeout(fail, 1)); await contain(() => {}, async () => { call(); await new Promise((done) => setTimeout(done, 1000)) })',
  ],
])('a host that %s during a run ends as without the judge', async (_, body) => {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(host(body))}`), {
    workerData: new URL('containment.ts', import.meta.url).href,
  })
  const [error] = await once(worker, 'error')
  expect(error).toMatchObject({ message: 'of the host' })
  expect(outsideOfScopes((a: number) => a + 1)(1)).toBe(2)
})

test('the listeners of a host hear nothing of the errors of a run, and all of their own', async () => {
  const heard: string[] = []
  const hear = (error: Error): unknown => heard.push(error.message)
  process.prependListener('uncaughtException', hear)
  try {
    const ran = Promise.withResolvers<unknown>()
    await contain(ran.resolve, async () => {
      setTimeout(fail, 1)
      await ran.promise
    })
    process.emit('uncaughtException', new Error('own'))
  } finally {
    process.off('uncaughtException', hear)
  }
  expect(heard).toEqual(['own'])
})
