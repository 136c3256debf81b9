// The command `capture`: forwards requests to a service and records them, until SIGINT or SIGTERM.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { rootAddress } from '../../../harness/cli/flag-values.ts'
import { connectionOf } from '../../../harness/http/connection.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { printable } from '../../../harness/cli/text.ts'
import { type CaptureFile, createCaptureFile } from '../capture-file.ts'
import type { RecordedExchange } from '../recording.ts'
import { createCaptureProxy } from './proxy.ts'

/** The capture listens on this machine alone: it holds the keys of its clients. */
const HOST = '127.0.0.1'

export interface CaptureOptions {
  readonly baseUrl?: string | undefined
  /** 0 takes a free port. */
  readonly listen: number
  readonly out: string | undefined
}

/** Runs the command and returns its exit code. Throws `UsageError` if the port or the file cannot be used. */
export async function capture({ baseUrl: given, listen, out }: CaptureOptions): Promise<number> {
  if (given === undefined) throw new UsageError('--base-url: capture needs the address of a service')
  if (out === undefined) throw new UsageError('--out: capture needs a file to write to')
  const baseUrl = rootAddress(given, '--base-url')
  let file: CaptureFile | undefined
  let count = 0
  const record = (exchange: RecordedExchange): void => {
    file?.write(exchange)
    count += 1
  }
  const proxy = createCaptureProxy(baseUrl, record, connectionOf(process.env).ca)
  proxy.listen(listen, HOST)
  await once(proxy, 'listening').catch((error: unknown) => {
    throw new UsageError(`--listen ${listen}: ${(error as Error).message}`)
  })
  try {
    file = createCaptureFile(out, baseUrl, { flag: '--out' })
    const { port } = proxy.address() as AddressInfo
    process.stdout.write(
      `Touchstone records http://${HOST}:${port} -> ${printable(baseUrl)}\nto ${printable(out)}, until Ctrl-C\n`,
    )
    await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  } finally {
    await proxy.end()
    file?.close()
  }
  process.stdout.write(`${count} ${count === 1 ? 'exchange' : 'exchanges'} recorded\n`)
  return 0
}
