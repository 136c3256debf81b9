// Creates and revokes keys with a command: `create` prints {"id","secret"}, `revoke ID` nothing. Every created key is
// revoked at the end, also after a failure.
import { spawn } from 'node:child_process'
import type { RequestLimit } from '../target-facts.ts'
import { at, parseJson } from '../json-value.ts'

/** Timeout of one command, in milliseconds. */
export const COMMAND_TIMEOUT_MS = 20_000

/** Maximum output of a command, in bytes. */
const MAX_OUTPUT_BYTES = 64 * 1024

/** The limit of keys that do not test limits; the judge should never reach it. */
const GENEROUS_LIMIT: RequestLimit = { requests: 100_000, windowSeconds: 60 }

export interface NewKeyOptions {
  /** The model ids that the key may use; all models if absent. */
  readonly models?: readonly string[]
  readonly limit?: RequestLimit
  /** The purpose of the key, for example the id of a check: a recording distinguishes keys by it. The command does not get it. */
  readonly by?: string
}

export interface MadeKey {
  readonly id: string
  readonly secret: string
}

export interface KeyCommandOptions {
  /** The words of the command, which runs without a shell. */
  readonly words: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Called with each new secret first, so that it is redacted everywhere. */
  readonly onSecret: (secret: string) => void
  readonly timeoutMs?: number
  /** Runs a command, for example in a session; by default in one process per call. */
  readonly run?: (args: readonly string[]) => Promise<string>
}

export type KeyMaker = ReturnType<typeof createKeyMaker>

/** The command failed, took too long, or did not print a key. */
export class KeyCommandError extends Error {
  override readonly name = 'KeyCommandError'
}

/** Splits a command into words at white space, without a shell. */
export function commandWords(command: string): readonly string[] {
  return command.split(/\s+/).filter((word) => word !== '')
}

/** Creates keys with a command. Throws `KeyCommandError` if the command fails. */
export function createKeyMaker(options: KeyCommandOptions) {
  const active = new Set<string>()
  const pending = new Set<Promise<unknown>>()
  const run = options.run ?? ((args: readonly string[]) => runCommand(options, args))

  async function create(key: NewKeyOptions = {}): Promise<MadeKey> {
    const { requests, windowSeconds } = key.limit ?? GENEROUS_LIMIT
    const models = key.models === undefined ? [] : ['--models', key.models.join(',')]
    const output = await run(['create', ...models, '--limit', `${requests}/${windowSeconds}`])
    const made = parseKey(output)
    options.onSecret(made.secret)
    active.add(made.id)
    return made
  }

  async function revoke(id: string): Promise<void> {
    await run(['revoke', id])
    active.delete(id)
  }

  return {
    create(key?: NewKeyOptions): Promise<MadeKey> {
      const making = create(key)
      pending.add(making)
      return making.finally(() => pending.delete(making))
    },
    revoke,
    /** Waits for pending keys, then revokes all created keys that are still active. Safe to call twice. */
    async revokeAll(): Promise<void> {
      await Promise.allSettled(pending)
      const results = await Promise.allSettled([...active].map(revoke))
      const failed = results.filter((result) => result.status === 'rejected')
      if (failed.length === 0) return
      const ids = [...active].join(', ')
      throw new KeyCommandError(`could not revoke ${ids}: ${failed.map(({ reason }) => reason.message)[0]}`)
    },
  }
}

function parseKey(output: string): MadeKey {
  const parsed = parseJson(output)
  const [id, secret] = [at(parsed, 'id'), at(parsed, 'secret')]
  // The output may contain a key, so the error does not repeat it.
  if (typeof id !== 'string' || typeof secret !== 'string' || id === '' || secret === '')
    throw new KeyCommandError('`create` did not print {"id","secret"} as JSON')
  return { id, secret }
}

/** Runs the command with these arguments and returns its output. Time and output are bounded. */
function runCommand(options: KeyCommandOptions, args: readonly string[]): Promise<string> {
  const [program = '', ...rest] = options.words
  const timeoutMs = options.timeoutMs ?? COMMAND_TIMEOUT_MS
  const [action] = args
  return new Promise((resolve, reject) => {
    // A separate process group, because an interrupted run still needs the id of a pending key.
    const child = spawn(program, [...rest, ...args], {
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let stdout = ''
    let stderr = ''
    const fail = (why: string): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      const [line = ''] = stderr.trim().split('\n').slice(-1)
      reject(new KeyCommandError(`the key command failed to ${action}: ${why}${line && ` (${line})`}`))
    }
    const timer = setTimeout(() => fail(`it took more than ${timeoutMs / 1000} s`), timeoutMs)
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece
      if (stdout.length > MAX_OUTPUT_BYTES) fail('it printed too much')
    })
    child.stderr
      .setEncoding('utf8')
      .on('data', (piece: string) => (stderr = (stderr + piece).slice(-MAX_OUTPUT_BYTES)))
    child.on('error', (error) => fail(error.message))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(stdout)
      else fail(signal === null ? `exit ${code}` : `ended by ${signal}`)
    })
  })
}
