// Creates, revokes and deletes keys from a terminal or a program, through the dashboard and with the rights of its
// operator: signs in, posts the same forms as a browser, signs out. `HELP` lists the commands. Exit code 2 for an invalid
// command, 1 for one that failed; the reason is one line on stderr.
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { aligned, printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { isKeyForm, redactKeys } from '../../spec/protocol/key.ts'
import { newKeyId } from '../keys/key-record.ts'
import { fields } from './form-fields.ts'
import { asOperator, type Get, type Post } from './operator-client.ts'

/** The name of a key that was given none. */
const DEFAULT_NAME = 'made on the command line'

const USAGE =
  'usage: npm run keys -- create [--name NAME] [--models A,B] [--limit N/SECONDS] | list | revoke ID-or-NAME | delete ID-or-NAME | session'

const HELP = `${USAGE}

  create                  Create a key, and print {"id","secret"}
    --name NAME           Name of the key in the list, default '${DEFAULT_NAME}'
    --models A,B          Models that the key may use, default all
    --limit N/SECONDS     Maximum requests in a window of time, for example 100/60, default that of the server
  list                    List the keys: id, name, end of the secret, state, day, models
  revoke ID-or-NAME       Revoke a key: it no longer works, and stays in the list
  delete ID-or-NAME       Remove a revoked key from the list
  session                 Read such commands from stdin, one per line, and answer each with one line, which may be empty;
                          the first failure ends the session
  --help                  Print this help

DASHBOARD_URL (the dashboard, or the root of the service) and DASHBOARD_PASSWORD come from the environment.
For the output alone: npm run --silent keys -- create
`

/** Timeout of a command, in milliseconds. */
const TIMEOUT_MS = 18_000

/** Timeout of a session, in milliseconds. */
const SESSION_TIMEOUT_MS = 3_600_000

/** Runs a command and returns its output. */
type Command = (post: Post, get: Get) => Promise<string>

type Streams = Readonly<Record<'stdout' | 'stderr', Writable> & Record<'stdin', Readable>>

if (import.meta.main || process.argv[1] === import.meta.filename)
  void keyCommand(process.argv.slice(2), process.env, process).then((code) => (process.exitCode = code))

/** Runs the command of these arguments and returns its exit code. */
export async function keyCommand(
  args: string[],
  environment: NodeJS.ProcessEnv,
  { stdin, stdout, stderr }: Streams,
): Promise<number> {
  async function session(post: Post, get: Get): Promise<string> {
    try {
      for await (const line of createInterface({ input: stdin })) {
        const output = await readCommand(line.trim().split(/\s+/))(post, get)
        stdout.write(output === '' ? '\n' : output)
      }
      return ''
    } finally {
      // An open stdin would keep the process alive after a failure.
      stdin.destroy()
    }
  }

  if (args.includes('--help')) {
    stdout.write(HELP)
    return 0
  }
  try {
    const isSession = args.length === 1 && args[0] === 'session'
    const isList = args.length === 1 && args[0] === 'list'
    const command = isSession ? session : isList ? list : readCommand(args)
    const operator = readEnvironment(environment)
    const signal = AbortSignal.timeout(isSession ? SESSION_TIMEOUT_MS : TIMEOUT_MS)
    stdout.write(await asOperator({ ...operator, signal }, command))
    return 0
  } catch (error) {
    stderr.write(`key-command: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

function create(name: string, models: string | undefined, limit: readonly string[]): Command {
  return async function create(post) {
    const [requests = '', seconds = ''] = limit
    const key = await post('/keys', {
      // Posted again after a 503, this form creates no second key.
      [fields.form]: newKeyId(),
      [fields.name]: name,
      [fields.access]: models === undefined ? 'all' : 'some',
      [fields.moreModels]: models ?? '',
      [fields.limitRequests]: requests,
      [fields.limitSeconds]: seconds,
    })
    if (!('id' in key && 'secret' in key && typeof key.secret === 'string' && isKeyForm(key.secret)))
      throw new Error('the dashboard created a key, but its answer does not contain it')
    return `${JSON.stringify({ id: key.id, secret: key.secret })}\n`
  }
}

/** A key, as the dashboard lists it. */
type Listed = Readonly<Record<'id' | 'name' | 'secret' | 'state' | 'created' | 'models', string>>

/** The keys that match a search, the newest first. */
async function keysIn(get: Get, search: string, state: string): Promise<readonly Listed[]> {
  const found: Listed[] = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const answer = await get(`?${new URLSearchParams({ q: search, state, page: String(page) })}`)
    if (!('keys' in answer && Array.isArray(answer.keys) && 'pages' in answer))
      throw new Error('the dashboard does not list its keys for programs: it is older than this command')
    found.push(...answer.keys)
    pages = Number(answer.pages)
  }
  return found
}

async function list(_: Post, get: Get): Promise<string> {
  const keys = await keysIn(get, '', 'all')
  const rows = keys.map(({ id, name, secret, state, created, models }) =>
    [id, name, secret, state, created, models].map(printable),
  )
  const head = ['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'MODELS']
  return `${aligned([head, ...rows], new Set(head.keys())).join('\n')}\n`
}

/** The id of a key that is given by its id or its name. Throws if no key, or more than one, has the name. */
async function idOf(given: string, get: Get, state: string): Promise<string> {
  if (given.startsWith('key_')) return given
  const named = (await keysIn(get, given, state)).filter(({ name }) => name === given)
  const [key, ...others] = named
  if (key === undefined)
    throw new Error(`no ${state} key has the name or id '${printable(given)}'; list shows all`)
  if (others.length > 0)
    throw new Error(
      `${named.length} ${state} keys have the name '${printable(given)}': give the id of one, ${named.map(({ id }) => id).join(' or ')}`,
    )
  return key.id
}

function change(name: 'revoke' | 'delete', given: string): Command {
  return async function change(post, get) {
    const id = await idOf(given, get, name === 'revoke' ? 'active' : 'revoked')
    await post(`/keys/${encodeURIComponent(id)}/${name}`, {})
    return ''
  }
}

function readCommand(args: string[]): Command {
  const { positionals, values } = readArguments(args)
  const [command, id, ...others] = positionals
  const { name = DEFAULT_NAME, models, limit } = values
  if (command === 'create' && id === undefined) return create(name, models, readLimit(limit))
  const isChange = command === 'revoke' || command === 'delete'
  if (isChange && id !== undefined && isKeyForm(id))
    throw new UsageError(`${command}: that is the secret of a key; give its id or its name (${USAGE})`)
  if (isChange && id !== undefined && others.length === 0 && Object.keys(values).length === 0)
    return change(command, id)
  throw new UsageError(`${problemWith(command, id, others, values)} (${USAGE})`)
}

/** The word or flag of a command that is not known there. */
function problemWith(command: string | undefined, id: string | undefined, others: string[], values: object) {
  const [flag] = Object.keys(values)
  if (command === undefined) return 'expected a command'
  if (command === 'create') return `create: unexpected '${id}'; --name NAME gives the key a name`
  if (command === 'list' || command === 'session') return `${command} stands alone`
  if (command !== 'revoke' && command !== 'delete')
    return `there is no command '${redactKeys(printable(command))}'`
  if (id === undefined) return `${command}: expected the id or the name of a key`
  return others[0] === undefined
    ? `${command} has no flag --${flag}`
    : `${command}: unexpected '${redactKeys(others[0])}'`
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { name: { type: 'string' }, models: { type: 'string' }, limit: { type: 'string' } },
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} (${USAGE})`)
  }
}

function readLimit(limit: string | undefined): readonly string[] {
  if (limit === undefined) return []
  const parts = /^(\d+)\/(\d+)$/.exec(limit)?.slice(1)
  if (parts === undefined)
    throw new UsageError(`--limit must be N/SECONDS, for example 100/60; received "${limit}" (${USAGE})`)
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
