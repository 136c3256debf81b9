// A key command that keeps running: it reads commands from stdin, one per line, and answers each with one line.
// `server/dashboard/key-command.ts` offers it: one process and sign-in per key would take longer than the judging.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { KeyCommandError } from './key-command.ts'

/** Timeout of one command, including the commands before it, in milliseconds. */
const COMMAND_TIMEOUT_MS = 60_000

/** Starts `words session` with this environment added to the judge's own. */
export function openKeySession(words: readonly string[], env: Readonly<Record<string, string>>) {
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

  const close = (): void => void child.stdin.end()
  return {
    /** Sends one command and resolves to its output. Throws `KeyCommandError`. */
    async run(args: readonly string[]): Promise<string> {
      if (ended !== undefined) throw ended
      const answer = Promise.withResolvers<string>()
      waiting.push(answer)
      child.stdin.write(`${args.join(' ')}\n`)
      const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS)
      return answer.promise.finally(() => clearTimeout(timer))
    },
    /** Ends the process after the commands in flight. */
    close,
    [Symbol.dispose]: close,
  }
}
