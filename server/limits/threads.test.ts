// Limits that real threads count together: exact under contention, while the table moves, and after a thread has died.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { createLimitMemory, createMemoryRateLimiter, freeThread } from './memory-limiter.ts'
import { createTableMemory, RecordTable } from './record-table.ts'
import type { Counted, Order } from './threads.fixture.ts'

const THREADS = 4

afterEach(() => vi.restoreAllMocks())

const start = (order: Order): Worker =>
  new Worker(new URL('./threads.fixture.ts', import.meta.url), { workerData: order, execArgv: [] })

const keysNamed = (count: number): string[] => Array.from({ length: count }, (_, place) => `key ${place}`)

test.each([
  { keys: 1, requests: 15_000, limit: 34_567 },
  { keys: 2000, requests: 10, limit: 33 },
])('threads that count $keys keys at the same time admit exactly the limit', async (given) => {
  const memory = createLimitMemory(THREADS)
  const keys = keysNamed(given.keys)
  const all = await Promise.all(
    Array.from({ length: THREADS }, async (_, thread): Promise<Counted> => {
      const [counted] = await once(start({ ...given, memory, thread, keys, slots: 1 }), 'message')
      return counted
    }),
  )
  const admitted = keys.map((_, place) =>
    all.reduce((sum, counted) => sum + (counted.admitted[place] ?? 0), 0),
  )
  expect(admitted).toEqual(keys.map(() => given.limit))
  // Every slot was released, so that all of them are free.
  const limiter = createMemoryRateLimiter(undefined, memory, 0)
  for (const key of keys) expect(limiter.acquire(key, 1)).toBeDefined()
})

test.each(['free', 'locked'] as const)(
  'a thread that dies (lock: %s) frees its slots and no others',
  async (dies) => {
    const memory = createLimitMemory(2)
    const keys = keysNamed(100)
    const limiter = createMemoryRateLimiter(undefined, memory, 0)
    const limit = { requests: 2, windowSeconds: 3600 }
    for (const key of keys) limiter.consume(key, limit)
    for (const key of keys) limiter.acquire(key, 2)
    const [code] = await once(
      start({ memory, thread: 1, keys, requests: 0, limit: 0, slots: 2, dies }),
      'exit',
    )
    expect(code).toBe(1)
    if (dies === 'free') for (const key of keys) expect(limiter.acquire(key, 2)).toBeUndefined()
    await freeThread(memory, 1)
    for (const key of keys) {
      expect(limiter.acquire(key, 2)).toBeDefined()
      expect(limiter.acquire(key, 2)).toBeUndefined()
      expect(limiter.consume(key, limit).admitted).toBe(true)
      expect(limiter.consume(key, limit).admitted).toBe(false)
    }
  },
)

test('a thread waits for the lock of another one, and the main thread does not', async () => {
  const memory = createLimitMemory(2)
  const other = new RecordTable(memory.table, 1, () => true)
  other.lock()
  let isFreed = false
  const freed = freeThread(memory, 1).then(() => (isFreed = true))
  const counting = once(
    start({ memory, thread: 1, keys: ['key'], requests: 1, limit: 1, slots: 1 }),
    'message',
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(isFreed).toBe(false)
  other.unlock()
  await freed
  expect(await counting).toEqual([{ admitted: [1], taken: 1 }])
})

test('a thread that dies while it moves the table leaves every count', () => {
  const memory = createTableMemory(1)
  const dying = new RecordTable(memory, 1, () => true)
  const add = (table: RecordTable, key: string): number => {
    table.lock()
    try {
      const at = table.find(key, 0)
      return (table.numbers[at] = (table.numbers[at] ?? 0) + 1)
    } finally {
      table.unlock()
    }
  }
  const keys = keysNamed(128)
  for (const key of keys) add(dying, key)
  const original = Float64Array.prototype.copyWithin
  const copy = vi.spyOn(Float64Array.prototype, 'copyWithin')
  for (let copied = 0; copied < keys.length; copied += 1) {
    copy.mockImplementation(function (this: Float64Array, ...given) {
      if (copy.mock.calls.length > copied) throw new Error('dead')
      return original.apply(this, given)
    })
    copy.mockClear()
    expect(() => add(dying, 'one too many')).toThrow('dead')
  }
  vi.restoreAllMocks()
  const other = new RecordTable(memory, 2, () => true)
  expect(keys.map((key) => add(other, key))).toEqual(keys.map(() => 2))
  expect(add(other, 'one too many')).toBe(1)
})

test('a full table refuses new keys with 503, counts the others, and has room when records are not needed', () => {
  let isLive = true
  const table = new RecordTable(createTableMemory(1, 512), 1, () => isLive)
  const found: string[] = []
  const fill = (): void => {
    for (const key of keysNamed(512)) {
      table.lock()
      try {
        const at = table.find(key, 0)
        table.numbers[at] = (table.numbers[at] ?? 0) + 1
        found.push(key)
      } finally {
        table.unlock()
      }
    }
  }
  expect(fill).toThrow(expect.objectContaining({ status: 503 }))
  const before = found.splice(0)
  expect(before.length).toBeGreaterThan(100)
  expect(fill).toThrow(expect.objectContaining({ status: 503 }))
  expect(found).toEqual(before)
  for (const key of before) expect(table.numbers[table.find(key, 0)]).toBe(2)
  isLive = false
  table.find('another', 0)
})
