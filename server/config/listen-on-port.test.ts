// A port that cannot be opened is one line that names what to change.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { assertFree, listen } from './listen-on-port.ts'

const HOST = '127.0.0.1'

/** Listens on a free port; returns its number. */
async function taken(reusePort: boolean): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen({ port: 0, host: HOST, reusePort }), 'listening')
  return (server.address() as AddressInfo).port
}

test.each([true, false])(
  'a port of another program is not free, whether it shares it: %s',
  async (shares) => {
    const port = await taken(shares)
    const line = `cannot listen on 127.0.0.1:${port}: port ${port} is in use`
    await expect(assertFree({ host: HOST, port, reusePort: true })).rejects.toThrow(line)
  },
)

test('servers of one process share a port, and it is free when they are closed', async () => {
  const [one, other] = [createServer(), createServer()]
  const url = await listen(one, { host: HOST, port: 0, reusePort: true })
  const port = Number(new URL(url).port)
  expect(await listen(other, { host: HOST, port, reusePort: true })).toBe(url)
  for (const server of [one, other]) await once(server.close(), 'close')
  await assertFree({ host: HOST, port })
})

test('a system that cannot share a port gets a line that names the setting', async () => {
  const server = createServer()
  // libuv answers so on macOS and Windows.
  server.listen = () => {
    process.nextTick(() => server.emit('error', Object.assign(new Error('listen'), { code: 'ENOTSUP' })))
    return server
  }
  await expect(listen(server, { host: HOST, port: 0, reusePort: true })).rejects.toThrow(
    /^WORKERS: this system cannot share a port between workers; use 1, /,
  )
})

/** The longest queue of new connections that the system allows; 0 if it does not say. */
const systemQueue = Number(await readFile('/proc/sys/net/core/somaxconn', 'latin1').catch(() => '0'))

/** More clients than fit into the queue that Node asks for by itself. */
const BURST = 600

test.runIf(systemQueue >= BURST)(
  'a burst of clients is connected at once, even while the process is held up',
  async () => {
    const program = `
    import { createServer } from 'node:net'
    import { listen } from ${JSON.stringify(new URL('listen-on-port.ts', import.meta.url).href)}
    console.log(await listen(createServer(), { host: '${HOST}', port: 0 }))`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [url] = await once(createInterface(child.stdout), 'line')
    child.kill('SIGSTOP')
    const sockets = Array.from({ length: BURST }, () => connect(Number(new URL(url).port), HOST))
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  },
)
