// Makes and revokes keys from a terminal or a program, through the pages of the dashboard, as an operator would: signs
// in, fills in the form, reads the secret from the page that shows it, signs out.
//   create [--models A,B] [--limit N/SECONDS]   prints {"id","secret"}
//   revoke ID                                   prints nothing
//   session                                     reads such commands from stdin, one a line, each answered by a line that
//                                               may be empty: many for one sign-in; one that fails ends it
// DASHBOARD_URL (the dashboard, or the root of the service) and DASHBOARD_PASSWORD come from the environment. Exit code
// 2 for a command that was not understood, 1 for one that failed; the reason is one line on stderr.
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { isKeyForm } from '../../spec/protocol/key.ts'
import { asOperator, type OperatorClient } from './operator-client.ts'
import { fields, pageElements } from './pages/page-elements.ts'
import { elementText, hiddenFields } from './read-page.ts'

const USAGE = 'usage: key-command.ts create [--models A,B] [--limit N/SECONDS] | revoke ID | session'

/** The most that the whole command may take, in milliseconds. */
const TIMEOUT_MS = 18_000

/** The most that a session may take, in milliseconds. */
const SESSION_TIMEOUT_MS = 3_600_000

/** Under this name the list of keys shows what the command made. */
const KEY_NAME = 'made by key-command'

class UsageError extends Error {}

/** Does what the command says and returns what it prints. */
type Command = (client: OperatorClient) => Promise<string>

try {
  const args = process.argv.slice(2)
  const isSession = args.length === 1 && args[0] === 'session'
  const command = isSession ? session : readCommand(args)
  const operator = readEnvironment(process.env)
  const signal = AbortSignal.timeout(isSession ? SESSION_TIMEOUT_MS : TIMEOUT_MS)
  const output = await asOperator({ ...operator, signal }, command)
  process.stdout.write(output)
} catch (error) {
  process.stderr.write(`key-command: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

async function session(client: OperatorClient): Promise<string> {
  try {
    for await (const line of createInterface({ input: process.stdin })) {
      const output = await readCommand(line.trim().split(/\s+/))(client)
      process.stdout.write(output === '' ? '\n' : output)
    }
    return ''
  } finally {
    // Where a command failed, nothing waits for the end of stdin.
    process.stdin.destroy()
  }
}

function create(models: string | undefined, limit: readonly string[]): Command {
  return async function create(client) {
    const form = hiddenFields(await client.page('/keys/new'))
    const [requests = '', seconds = ''] = limit
    const page = await client.post('/keys', {
      ...form,
      [fields.name]: KEY_NAME,
      [fields.access]: models === undefined ? 'all' : 'some',
      [fields.moreModels]: models ?? '',
      [fields.limitRequests]: requests,
      [fields.limitSeconds]: seconds,
    })
    const id = elementText(page, pageElements.keyId)
    const secret = elementText(page, pageElements.keySecret)
    if (id === undefined || secret === undefined || !isKeyForm(secret))
      throw new Error('the dashboard made a key, but its page does not show it')
    return `${JSON.stringify({ id, secret })}\n`
  }
}

function revoke(id: string): Command {
  return async function revoke(client) {
    const path = `/keys/${encodeURIComponent(id)}/revoke`
    await client.post(path, hiddenFields(await client.page(path)))
    return ''
  }
}

function readCommand(args: string[]): Command {
  const { positionals, values } = readArguments(args)
  const [name, id, ...others] = positionals
  const { models, limit } = values
  if (name === 'create' && id === undefined) return create(models, readLimit(limit))
  if (name === 'revoke' && id !== undefined && others.length === 0 && Object.keys(values).length === 0)
    return revoke(id)
  throw new UsageError(USAGE)
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { models: { type: 'string' }, limit: { type: 'string' } },
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (${USAGE})`)
  }
}

function readLimit(limit: string | undefined): readonly string[] {
  if (limit === undefined) return []
  const parts = /^(\d+)\/(\d+)$/.exec(limit)?.slice(1)
  if (parts === undefined)
    throw new UsageError(`--limit is a number of requests per seconds, as 100/60, not ${limit} (${USAGE})`)
  return parts
}

function readEnvironment(environment: NodeJS.ProcessEnv): { dashboard: URL; password: string } {
  const { DASHBOARD_URL: address = '', DASHBOARD_PASSWORD: password = '' } = environment
  if (address === '' || password === '')
    throw new UsageError(`${address === '' ? 'DASHBOARD_URL' : 'DASHBOARD_PASSWORD'} is not set`)
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new UsageError('DASHBOARD_URL is not an http or https address')
  const dashboard = new URL(address)
  const path = dashboard.pathname.replace(/\/+$/, '')
  dashboard.pathname = path.endsWith('/dashboard') ? path : `${path}/dashboard`
  return { dashboard, password }
}
