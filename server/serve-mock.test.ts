// The mock as a process: for the tests of other people's programs.
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { type MockOptions, serve } from './serve-mock.ts'

test('a program gets an address, a key and the failures that it orders', async () => {
  await using mock = await serve({ faults: [{ status: 429, retryAfter: 1 }] })
  const client = new OpenAI({ baseURL: `${mock.baseUrl}/v1`, apiKey: mock.apiKey, maxRetries: 0 })
  const ask = () =>
    client.chat.completions.create({
      model: mock.models[0] ?? '',
      messages: [{ role: 'user', content: 'hello' }],
    })
  await expect(ask()).rejects.toMatchObject({ status: 429 })
  expect((await ask()).choices[0]?.message.content).toBe('hello')
  await mock.failNext({ status: 599, count: 2 }, { status: 400 })
  for (const status of [599, 599, 400]) await expect(ask()).rejects.toMatchObject({ status })
  await ask()
})

test('it has ended when it is closed', async () => {
  const mock = await serve()
  await mock.close()
  await mock.close()
  await expect(fetch(mock.baseUrl)).rejects.toThrow('fetch failed')
})

test.each<[object, string]>([
  [{ baseUrl: 'http://127.0.0.1' }, "no option 'baseUrl'"],
  [{ settings: { GENERATION_TIMEOUT_SECONDS: 'x' } }, 'GENERATION_TIMEOUT_SECONDS'],
  [{ faults: [{ status: 200 }] }, "'status' must be"],
  [{ settings: { WORKERS: '2' } }, 'a mock is one thread'],
])('%j is refused', async (options, message) => {
  await expect(serve(options as MockOptions)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(message),
  })
})

test('it ends with the process that started it', async () => {
  const program = `import { serve } from ${JSON.stringify(new URL('./serve-mock.ts', import.meta.url).href)}
    console.log((await serve()).baseUrl)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [baseUrl] = await once(createInterface(parent.stdout), 'line')
  // The program has nothing left to do: the mock does not keep it.
  await once(parent, 'close')
  await expect
    .poll(
      () =>
        fetch(baseUrl).then(
          () => 'answers',
          () => 'ended',
        ),
      { timeout: 30_000 },
    )
    .toBe('ended')
})
