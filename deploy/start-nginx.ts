// The balancer: Debian's nginx with the configuration of this folder, before instances on this machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../fixtures/services/free-port.ts'
import type { Part } from './supervise.ts'

const configuration = new URL('nginx.conf', import.meta.url)

/** The most that a start may take, in milliseconds. */
const START_MS = 30_000

export interface Nginx extends Part {
  readonly port: number
  readonly url: string
  /** Its configuration and its logs. */
  readonly folder: string
  /** Ends it and removes its folder. */
  end(): Promise<void>
}

/** The program; undefined if it is not installed. */
export function nginxProgram(): string | undefined {
  return ['nginx', '/usr/sbin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
}

/** Starts the balancer before the instances on these ports. Throws with what nginx says where it does not start. */
export async function startNginx(instancePorts: readonly number[]): Promise<Nginx> {
  const program = nginxProgram()
  if (program === undefined) throw new Error('nginx is not installed')
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-nginx-'))
  // Its workers put large bodies here, with another user if root started nginx.
  chmodSync(folder, 0o755)
  const file = join(folder, 'nginx.conf')
  const errors = join(folder, 'error.log')
  writeFileSync(file, configure(readFileSync(configuration, 'utf8'), { folder, port, instancePorts }))
  let master: ChildProcess

  async function start(): Promise<void> {
    // A process group of its own, which its workers are in too.
    master = spawn(program ?? 'nginx', ['-e', errors, '-c', file, '-p', folder, '-g', 'daemon off;'], {
      stdio: 'ignore',
      detached: true,
    })
    const until = Date.now() + START_MS
    while (!(await isListening(port))) {
      if (hasEnded() || Date.now() > until) {
        await kill()
        throw new Error(
          `nginx did not start: ${existsSync(errors) ? readFileSync(errors, 'utf8').trim() : ''}`,
        )
      }
      await sleep(20)
    }
  }

  const hasEnded = (): boolean => master.exitCode !== null || master.signalCode !== null

  async function ended(): Promise<void> {
    if (!hasEnded()) await once(master, 'exit')
  }

  async function kill(): Promise<void> {
    try {
      if (master.pid !== undefined) process.kill(-master.pid, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
    await ended()
  }

  async function end(): Promise<void> {
    await kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  try {
    await start()
  } catch (error) {
    await end()
    throw error
  }
  return { name: 'nginx', port, url: `http://127.0.0.1:${port}`, folder, start, ended, kill, end }
}

/** The configuration with these addresses, and with every file in the folder. */
function configure(
  text: string,
  { folder, port, instancePorts }: { folder: string; port: number; instancePorts: readonly number[] },
): string {
  const [, settings = ''] = /server touchstone-1:8080([^;]*);/.exec(text) ?? []
  const servers = instancePorts.map((instance) => `\n    server 127.0.0.1:${instance}${settings};`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  return text
    .replace(/(\s+server touchstone-\d+:8080[^;]*;)+/, servers.join(''))
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replaceAll('/tmp/nginx.pid', join(folder, 'nginx.pid'))
    .replaceAll('/dev/stdout', join(folder, 'access.log'))
    .replaceAll('/dev/stderr', join(folder, 'error.log'))
    .replace('http {', `http {\n  ${temporary.join(' ')}`)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
