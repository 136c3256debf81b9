// The balancer: Debian's nginx with the configuration of this folder, before instances on this machine.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../harness/http/free-port.ts'
import { startPart } from './start-part.ts'

const configuration = new URL('nginx.conf', import.meta.url)

export type Nginx = Awaited<ReturnType<typeof startNginx>>

/** The program; undefined if it is not installed. */
export function nginxProgram(): string | undefined {
  return ['nginx', '/usr/sbin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
}

/** Starts the balancer before the instances on these ports. Throws with the output of nginx if it does not start. */
export async function startNginx(instancePorts: readonly number[]) {
  const program = nginxProgram()
  if (program === undefined) throw new Error('nginx is not installed')
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-nginx-'))
  // Its workers put large bodies here, with another user if root started nginx.
  chmodSync(folder, 0o755)
  const file = join(folder, 'nginx.conf')
  const errors = join(folder, 'error.log')
  writeFileSync(file, configure(readFileSync(configuration, 'utf8'), { folder, port, instancePorts }))
  const words = ['-e', errors, '-c', file, '-p', folder, '-g', 'daemon off;']
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const part = await startPart({
      name: 'nginx',
      spawn: () => spawn(program, words, { stdio: 'ignore', detached: true }),
      isReady: () => isListening(port),
      startMs: 30_000,
      log: () => (existsSync(errors) ? readFileSync(errors, 'utf8').trim() : ''),
    })
    /** Ends it and removes its folder. */
    const end = () => part.kill().then(remove)
    return { ...part, port, url: `http://127.0.0.1:${port}`, folder, end }
  } catch (error) {
    remove()
    throw error
  }
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
