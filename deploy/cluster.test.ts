// A cluster, as its script starts it, is one service: the judge finds nothing to fault, whichever way it comes in.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../fixtures/run-program.fixture.ts'
import { expectGreen, judge } from './judge.fixture.ts'
import { type Cluster, startCluster } from './start-cluster.ts'
import { type Instance, isReady, startInstance } from './start-instance.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
describe('a cluster', { tags: ['slow', 'postgresql', 'redis-server', 'nginx'] }, () => {
  let cluster: Cluster
  let relay: Instance
  let data = ''
  beforeAll(async () => {
    cluster = await startCluster()
    data = mkdtempSync(join(tmpdir(), 'touchstone-relay-'))
    const { secret } = JSON.parse(await cluster.keys('create', '--limit', '1000000/60'))
    relay = await startInstance({
      name: 'relay',
      env: {
        DATA_DIR: data,
        DASHBOARD_PASSWORD: cluster.operator.DASHBOARD_PASSWORD,
        UPSTREAM_MODELS: `relayed=${cluster.url}/v1#svc-0.1-echo#UPSTREAM_KEY`,
        UPSTREAM_KEY: secret,
        LOG_LEVEL: 'warn',
      },
      logFile: join(data, 'log'),
    })
  })
  afterAll(async () => {
    await relay?.kill()
    await cluster?.stop()
    rmSync(data, { recursive: true, force: true })
  })

  // Side by side: much of a judgement is waiting for windows to end.
  test.concurrent('is judged green through the balancer, rotation and limits included', async () => {
    const { url, operator } = cluster
    const verdict = await judge({ baseUrl: url, operator })
    expectGreen(verdict)
    expect(verdict.judged).toBe(verdict.applicable)
  })

  test.concurrent('is judged green through one instance, with keys made through the balancer', async () => {
    const [instance] = cluster.instances
    const flags = ['--quick', '--only', 'keys.*,limits.*,auth.*']
    expectGreen(await judge({ baseUrl: instance?.url ?? '', operator: cluster.operator, flags }))
  })

  test.concurrent('as the upstream of another instance, it is judged green through that', async () => {
    const operator = { ...cluster.operator, DASHBOARD_URL: relay.url }
    const flags = ['--model', 'relayed', '--runs', '5', '--only', 'chat.*,stream.*,wire.*,tools.*,errors.*']
    expectGreen(await judge({ baseUrl: relay.url, operator, flags }))
  })
})

describe('the script', () => {
  const children = new Set<ChildProcess>()
  afterAll(() => {
    for (const child of children) child.kill('SIGTERM')
  })

  test.each([['--instances', '0'], ['--instances', 'many'], ['--nonsense']])(
    '%j %j is one line and exit code 2',
    async (...args) => {
      const { code, stdout, stderr } = await runProgram(['deploy/cluster.ts', ...args])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^cluster: .+\n$/)
    },
  )

  test('without the programs it names their packages in one line, and exit code 2', async () => {
    const { code, stderr } = await runProgram(['deploy/cluster.ts'], { ...process.env, PATH: '/nowhere' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^cluster: not installed: apt-get install .*redis-server.*\n$/)
  })

  test(
    'says what died, starts it again, and leaves nothing when it ends',
    { tags: ['slow', 'postgresql', 'redis-server', 'nginx'] },
    async () => {
      const child = spawn(process.execPath, ['deploy/cluster.ts', '--restart', '--instances', '1'], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.add(child)
      const said: string[] = []
      createInterface(child.stderr).on('line', (line) => said.push(line))
      const printed: string[] = []
      const lines = createInterface(child.stdout).on('line', (line) => printed.push(line))
      while (!printed.some((line) => line.includes('judge it'))) await once(lines, 'line')
      const [url = ''] = printed
      expect(await isReady(url)).toBe(true)
      const pid = Number(/process (\d+)/.exec(printed.join('\n'))?.[1])
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => said, { timeout: 60_000 }).toEqual(['instance 1 died', 'instance 1 is back'])
      await expect.poll(() => isReady(url)).toBe(true)
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([0, null])
      expect(await isReady(url)).toBe(false)
      expect(said).toHaveLength(2)
    },
  )
})
