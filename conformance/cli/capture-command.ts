// The command `capture`: forwards requests to a service and records them, until SIGINT or SIGTERM.
import { reportFile, serviceAddress } from '../../harness/cli/flag-values.ts'
import { connectionOf } from '../../harness/http/connection.ts'
import { shownAddress } from '../../harness/http/service-address.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { printable } from '../../harness/cli/text.ts'
import { otherSecrets } from '../contract/environment/given-secrets.ts'
import { type CaptureFile, createCaptureFile } from '../exchanges/capture-file.ts'
import type { RecordedExchange } from '../exchanges/recorded-exchange.ts'
import { findService } from '../exchanges/capture/find-service.ts'
import { startCaptureProxy } from '../exchanges/capture/capture-proxy.ts'

export interface CaptureOptions {
  readonly baseUrl?: string | undefined
  /** 0 takes a free port. */
  readonly listen: number
  readonly out: string | undefined
  /** Names of headers whose values are shown. */
  readonly keep: readonly string[]
}

/** Runs the command and returns its exit code. Throws `UsageError` if the port or the file cannot be used. */
export async function capture(
  { baseUrl: given, listen, out: path, keep }: CaptureOptions,
  redactor: Redactor,
): Promise<number> {
  if (given === undefined) throw new UsageError('--base-url: capture needs the address of a service')
  if (path === undefined) throw new UsageError('--out: capture needs a file to write to')
  const out = reportFile(path, '--out')
  const connection = connectionOf(process.env)
  const baseUrl = await findService(serviceAddress(given, '--base-url'), { connection })
  let file: CaptureFile | undefined
  let count = 0
  const record = (exchange: RecordedExchange): void => {
    file?.write(exchange)
    count += 1
  }
  const proxy = await startCaptureProxy(baseUrl, listen, record, connection.ca)
  try {
    const secrets = otherSecrets({ baseUrl })
    file = createCaptureFile(out, shownAddress(baseUrl), { flag: '--out', secrets, keep })
    process.stdout.write(
      `Touchstone records ${proxy.origin} -> ${printable(redactor.text(shownAddress(baseUrl)))}\nfor clients with the base address ${proxy.origin}/v1\nto ${printable(out)}, until Ctrl-C\n`,
    )
    await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  } finally {
    await proxy.end()
    file?.close()
  }
  process.stdout.write(`${count} ${count === 1 ? 'exchange' : 'exchanges'} recorded\n`)
  return 0
}
