// Runs the whole service on one machine with Debian's packages: PostgreSQL, Redis, instances and a balancer, supervised,
// each on a free port, all in one temporary folder.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresPrograms, startPostgres } from '../fixtures/services/postgres.ts'
import { isRedisInstalled, startRedis } from '../fixtures/services/redis.ts'
import { startInstance } from './start-instance.ts'
import { nginxProgram, startNginx } from './start-nginx.ts'
import { supervise } from './supervise.ts'

const root = new URL('..', import.meta.url)

/** The command that creates and revokes keys, from the root of the project. */
export const KEY_COMMAND = 'server/dashboard/key-command.ts'

export interface ClusterOptions {
  /** Number of instances; default 2. */
  readonly instances?: number
  /** Settings of the instances, added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** The pause before a dead part is restarted, in milliseconds. By default it is not restarted. */
  readonly restartMs?: number | undefined
  /** Receives a line whenever a part died or recovered. */
  readonly report?: (line: string) => void
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** The environment of the key command. */
export interface Operator {
  readonly DASHBOARD_URL: string
  readonly DASHBOARD_PASSWORD: string
}

/** The Debian packages that a cluster needs and that are not installed here. */
export function missingPackages(): string[] {
  return [
    ...(postgresPrograms() === undefined ? ['postgresql'] : []),
    ...(isRedisInstalled() ? [] : ['redis-server']),
    ...(nginxProgram() === undefined ? ['nginx'] : []),
  ]
}

/** Starts all parts; resolves when the balancer is ready. If one part does not start, stops the others. */
export async function startCluster(options: ClusterOptions = {}) {
  const { instances: count = 2, env = {}, restartMs, report = () => {} } = options
  await using started = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-cluster-'))
  started.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const postgres = await startPostgres()
  started.defer(() => postgres.end())
  const redis = started.use(await startRedis())

  const password = randomBytes(18).toString('base64url')
  const settings = {
    DATABASE_URL: await postgres.createDatabase('service'),
    REDIS_URL: redis.url,
    DASHBOARD_PASSWORD: password,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    ...env,
  }
  // The instances start concurrently, because one of them creates the tables and the others wait for it.
  const instances = await allStarted(
    Array.from({ length: count }, (_, index) => {
      const name = `instance ${index + 1}`
      const data = join(folder, `instance-${index + 1}`)
      mkdirSync(data)
      return startInstance({ name, env: { ...settings, DATA_DIR: data }, logFile: `${data}.log` })
    }),
    (instance) => started.defer(() => instance.kill()),
  )
  const nginx = await startNginx(instances.map(({ port }) => port))
  started.defer(() => nginx.end())

  const parts = [
    nginx,
    ...instances,
    { name: 'Redis', start: redis.restart, ended: redis.ended, kill: redis.kill },
    { name: 'PostgreSQL', start: postgres.start, ended: postgres.ended, kill: postgres.kill },
  ]
  started.defer(supervise(parts, { restartMs, report }))
  const operator: Operator = { DASHBOARD_URL: nginx.url, DASHBOARD_PASSWORD: password }
  const everything = started.move()
  return {
    url: nginx.url,
    instances,
    postgres,
    redis,
    nginx,
    /** Logs and data. */
    folder,
    operator,
    /** Runs the key command, for example `create --limit 5/60` or `revoke ID`; returns its output. */
    keys: (...args: string[]) => runKeyCommand(operator, ...args),
    /** Ends all processes and removes the folder. */
    stop: () => everything.disposeAsync(),
  }
}

/** Runs the key command with the rights of this operator; returns its output. */
export async function runKeyCommand(operator: Operator, ...args: string[]): Promise<string> {
  const env = { ...process.env, ...operator }
  return (await promisify(execFile)(process.execPath, [KEY_COMMAND, ...args], { cwd: root, env })).stdout
}

/** Waits for all; calls `onStart` with each result. Throws the first failure after all have settled. */
async function allStarted<Result>(starts: readonly Promise<Result>[], onStart: (result: Result) => void) {
  const settled = await Promise.allSettled(
    starts.map((start) => start.then((result) => (onStart(result), result))),
  )
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
