// The server as a process: how it starts, what survives a kill, how it ends.
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { errorEnvelope } from '../spec/protocol/error.ts'
import { isLlamaInstalled } from './engines/llama/llama.ts'
import {
  DASHBOARD_PASSWORD,
  failingStart,
  type ServerProcess,
  startServerProcess,
} from './server-process.fixture.ts'
import { temporaryFolder } from './test-resources.fixture.ts'
import { testSampled } from '../fixtures/sampled.fixture.ts'

let dataDir = ''

beforeEach(() => {
  dataDir = temporaryFolder()
})

const failing = (settings: Readonly<Record<string, string>>) =>
  failingStart({ DATA_DIR: dataDir, ...settings })

async function start(settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startServerProcess({ DATA_DIR: dataDir, ...settings })
  onTestFinished(() => server[Symbol.dispose]())
  return server
}

describe('start', () => {
  test('the first line is the base URL, the others help a person', async () => {
    const { url, output } = await start()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const text = output.join('\n')
    expect(text).toContain(`${url}/dashboard`)
    expect(text).toContain(dataDir)
    expect(text).toContain(`npx touchstone --base-url ${url}`)
    expect(text).not.toContain(DASHBOARD_PASSWORD)
  })

  test('LLAMA_TINY=off serves the echo model alone, and starts no inference', { tags: 'slow' }, async () => {
    const { child, output } = await start({ LLAMA_TINY: 'off' })
    expect(output.find((line) => line.includes('models'))).toMatch(/ svc-0\.1-echo$/)
    expect(inferenceChildOf(child)).toBeUndefined()
  })

  test('a generated password is shown at the first start and never again', async () => {
    const first = await start({ DASHBOARD_PASSWORD: '' })
    const [, password = ''] = /password +(\S+)/.exec(first.output.join('\n')) ?? []
    expect(password.length).toBeGreaterThanOrEqual(20)
    await first.end('SIGTERM')
    const second = await start({ DASHBOARD_PASSWORD: '' })
    expect(second.output.join('\n')).not.toContain(password)
  })

  test('a start whose port is taken uses up no password: the next prints it', { tags: 'slow' }, async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const failed = await failing({ DASHBOARD_PASSWORD: '', PORT: String(port) })
    holder.close()
    expect(failed).toEqual({ code: 2, lines: [expect.stringContaining(`127.0.0.1:${port}`)] })
    const { output } = await start({ DASHBOARD_PASSWORD: '' })
    expect(output.join('\n')).toMatch(/password +\S+/)
  })

  test('a mistyped setting is reported in one line with the nearest setting', { tags: 'slow' }, async () => {
    const { lines } = await failing({ LLAMA_SLOT: '8', PORT: '99999', LOG_LEVEL: 'silent' })
    expect(lines).toEqual([expect.stringContaining('PORT')])
    const { log } = await start({ LLAMA_SLOT: '8' })
    expect(log[0]).toMatch(/^LLAMA_SLOT .* LLAMA_SLOTS$/)
  })

  const unusable: readonly [Record<string, string>, string][] = [
    [{ HOST: 'nowhere.invalid' }, 'nowhere.invalid'],
    [{ LLAMA_MODELS: 'mine=/nowhere/model.gguf' }, '/nowhere/model.gguf'],
    [{ LLAMA_FOLDER: '/nowhere' }, '/nowhere'],
    [{ DASHBOARD_PASSWORD: 'secret!' }, 'DASHBOARD_PASSWORD'],
    [{ DATA_DIR: '/dev/null' }, 'DATA_DIR'],
    [{ DATA_DIR: '/proc/nowhere' }, 'DATA_DIR'],
  ]
  testSampled(unusable, 5, '%j is one clear line and exit code 2', async (env, named) => {
    const { code, lines } = await failing(env)
    expect({ code, lines }).toEqual({ code: 2, lines: [expect.stringContaining(named)] })
    expect(lines.join()).not.toContain('secret!')
  })

  const damaged: readonly [string, () => void][] = [
    ['a corrupt key database', () => writeFileSync(join(dataDir, 'keys.sqlite'), 'x'.repeat(10_000))],
    ['a key database that is a folder', () => mkdirSync(join(dataDir, 'keys.sqlite'))],
    [
      'a key database of a newer version',
      () => {
        const database = new DatabaseSync(join(dataDir, 'keys.sqlite'))
        database.exec('PRAGMA user_version = 999')
        database.close()
      },
    ],
    ['a damaged password record', () => writeFileSync(join(dataDir, 'dashboard-password'), 'nonsense')],
    ['a password record that is a folder', () => mkdirSync(join(dataDir, 'dashboard-password'))],
  ]
  testSampled(damaged, 3, '%s is one clear line and exit code 2', async (_, make) => {
    make()
    expect(await failing({ DASHBOARD_PASSWORD: '' })).toEqual({
      code: 2,
      lines: [expect.stringContaining('DATA_DIR')],
    })
  })
})

describe('kill -9', () => {
  test('of the inference child: 503 until it restarts, counted', { tags: ['llama', 'slow'] }, async () => {
    const server = await start({ METRICS_PORT: '0', LLAMA_TINY: 'on' })
    const { secret } = await server.createKey()
    const tiny = { model: 'svc-0.1-tiny' }
    expect((await server.chat(secret, tiny)).status).toBe(200)
    process.kill(inferenceChildOf(server.child) ?? NaN, 'SIGKILL')

    const refused: number[] = []
    await expect
      .poll(
        async () => {
          const answer = await server.chat(secret, tiny)
          if (answer.status !== 200) {
            refused.push(answer.status)
            expect(errorEnvelope.safeParse(await answer.json()).success).toBe(true)
            if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
          }
          return answer.status
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBe(200)
    expect(refused).toContain(503)
    expect(refused.filter((status) => status !== 503).every((status) => status === 500)).toBe(true)
    expect((await server.chat(secret, { model: 'svc-0.1-echo' })).status).toBe(200)
    const [, metrics = ''] = /metrics +(\S+)/.exec(server.output.join('\n')) ?? []
    const figures = (await (await fetch(metrics)).text()).split('\n')
    expect(figures).toContain('touchstone_engine_restarts_total 1')
    expect(figures).toContain('touchstone_queued_requests{model="svc-0.1-tiny"} 0')
  })
})

describe('end', () => {
  test('SIGTERM: answers in flight finish, then the process ends with 0', async () => {
    const server = await start()
    const { secret } = await server.createKey()
    const stream = await server.chat(secret, {
      model: 'svc-0.1-echo',
      messages: [{ role: 'user', content: 'x'.repeat(20_000) }],
      stream: true,
    })
    const ended = server.end('SIGTERM')
    expect(await stream.text()).toMatch(/\[DONE\]\n\n$/)
    expect(await ended).toBe(0)
  })

  test('SIGTERM: while it drains, /readyz is 503 and requests are served', { tags: 'slow' }, async () => {
    const server = await start({ DRAIN_SECONDS: '2' })
    const { secret } = await server.createKey()
    const ended = server.end('SIGTERM')
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
    const fresh = { headers: { authorization: `Bearer ${secret}`, connection: 'close' } }
    expect((await fetch(`${server.url}/v1/models`, fresh)).status).toBe(200)
    expect((await fetch(`${server.url}/healthz`, fresh)).status).toBe(200)
    expect(await ended).toBe(0)
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed')
  })

  test('a second signal ends the drain at once', { tags: 'slow' }, async () => {
    const server = await start({ DRAIN_SECONDS: '300' })
    server.child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
    expect(await server.end('SIGINT')).toBe(1)
  })

  test('no inference child outlives a killed server', { tags: 'slow' }, async () => {
    const server = await start({ LLAMA_TINY: 'on' })
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
    const pid = inferenceChildOf(server.child)
    expect(pid !== undefined).toBe(isLlamaInstalled())
    await server.end('SIGKILL')
    await expect.poll(() => pid !== undefined && isAlive(pid)).toBe(false)
  })
})

/** The process id of the first child, if there is one. */
function inferenceChildOf({ pid }: ChildProcess): number | undefined {
  // ps prints nothing and fails if there is no child.
  const { stdout } = spawnSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' })
  return stdout.trim() === '' ? undefined : Number(stdout.trim().split('\n')[0])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
