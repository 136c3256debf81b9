// A model from an `hf:` address, from a stand-in on this machine: downloaded once, and a download that was interrupted
// goes on where it was.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { closedAtEnd, temporaryFolder } from '../../../test-resources.fixture.ts'
import type { DownloadProgress } from './llama-process.ts'
import { ask, createTinyEngine, TINY, TINY_PATH } from '../llama.fixture.ts'
import { answerTo } from '../../../engine-answer.fixture.ts'

/** Large enough for many of the downloader's pieces, which are 5 MiB each: what follows the tensors is not read. */
const FILE = Buffer.concat([readFileSync(TINY_PATH), Buffer.alloc(60_000_000)])

describe('a model from an address', { tags: ['llama', 'slow'], timeout: 60_000 }, () => {
  it('is downloaded with its progress reported, and again only as far as it is missing', async () => {
    const folder = temporaryFolder()
    const hub = await startHub(40_000_000)
    const reported: number[] = []
    const options = {
      models: [{ id: TINY, source: 'hf:stone/tiny/svc-0.1-tiny.gguf' }],
      modelsDirectory: folder,
      onDownload: ({ model, downloadedBytes, totalBytes }: DownloadProgress) => {
        expect({ model, totalBytes }).toEqual({ model: TINY, totalBytes: FILE.length })
        reported.push(downloadedBytes)
      },
    }

    const interrupted = createTinyEngine(options)
    await expect.poll(hub.sentBytes).toBe(40_000_000)
    // The received bytes are written after a delay.
    await expect.poll(() => readdirSync(folder)).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await interrupted.close()

    hub.letThrough()
    const engine = closedAtEnd(createTinyEngine(options))
    await engine.loaded
    expect(hub.sentBytes()).toBeLessThan(FILE.length - 10_000_000)
    expect(reported.at(-1)).toBe(FILE.length)
    expect((await answerTo(engine, ask({ temperature: 0 }))).texts).toEqual(['Gold rings.'])

    await hub.close()
    await closedAtEnd(createTinyEngine(options)).loaded
  })
})

/** Serves `FILE` under the path of its address, by ranges; it falls silent after `allowance` bytes until it is let through. */
async function startHub(allowance: number) {
  let left = allowance
  let sent = 0
  function answer(request: IncomingMessage, response: ServerResponse): void {
    expect(request.url).toMatch(/^\/stone\/tiny\/resolve\/main\/svc-0\.1-tiny\.gguf/)
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    const end = to === undefined || to === '' ? FILE.length : Number(to) + 1
    const part = FILE.subarray(start, end)
    response.writeHead(from === undefined ? 200 : 206, {
      'accept-ranges': 'bytes',
      'content-length': part.length,
      ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${FILE.length}` }),
    })
    // A request for the whole is only a question about the file: the downloader does not read its answer.
    const given = request.method === 'HEAD' || from === undefined ? 0 : Math.min(left, part.length)
    left -= given
    sent += given
    response.write(part.subarray(0, given))
    if (given === part.length || request.method === 'HEAD') response.end()
  }
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  onTestFinished(() => void vi.unstubAllEnvs())
  return {
    sentBytes: () => sent,
    letThrough() {
      left = Infinity
      sent = 0
    },
    close,
  }
}
