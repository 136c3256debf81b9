// A key command that stays: commands go to its stdin, one a line, and each is answered by one line. Offered by
// `server/dashboard/key-command.ts`, where a process and a sign-in for each key would take longer than all the judging.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { KeyCommandError } from './key-command.ts'

/** The most that one command may take, those before it included, in milliseconds. */
const COMMAND_TIMEOUT_MS = 60_000

export interface KeySession {
  /** Sends one command in words and resolves to what it prints. Throws `KeyCommandError`. */
  run(args: readonly string[]): Promise<string>
  /** Lets the process end; commands in flight are still answered. */
  close(): void
}

/** Starts `words session` with this environment beside the judge's own. Nothing of it keeps the judge from ending. */
export function openKeySession(words: readonly string[], env: Readonly<Record<string, string>>): KeySession {
  const [program = '', ...rest] = words
  const child = spawn(program, [...rest, 'session'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const waiting: PromiseWithResolvers<string>[] = []
  let ended: KeyCommandError | undefined
  let complaint = ''

  function end(why: string): void {
    ended = new KeyCommandError(`the key command ended: ${complaint.trim() || why}`)
    for (const { reject } of waiting.splice(0)) reject(ended)
  }

  child.stderr
    .setEncoding('utf8')
    .on('data', (piece: string) => (complaint = (complaint + piece).slice(-1000)))
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line))
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => end(error.message))
  child.on('close', (code) => end(`exit ${code}`))

  return {
    async run(args) {
      if (ended !== undefined) throw ended
      const answer = Promise.withResolvers<string>()
      waiting.push(answer)
      child.stdin.write(`${args.join(' ')}\n`)
      const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS)
      return answer.promise.finally(() => clearTimeout(timer))
    },
    close: () => void child.stdin.end(),
  }
}
