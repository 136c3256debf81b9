// Starts programs in process groups of their own, so that each is ended with all its children, however this process ends.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'

/** Programs whose groups are killed when this process ends. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

export interface GroupOptions {
  readonly cwd?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdio: StdioOptions
}

/** Starts a program without a shell. Its group is killed at the end of this process, unless `killGroup` did it before. */
export function startGroup([file = '', ...args]: readonly string[], options: GroupOptions): ChildProcess {
  const child = spawn(file, args, { ...options, detached: process.platform !== 'win32' })
  running.add(child)
  return child
}

/** Sends a signal to a program and its children, as a terminal does. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // No process of the group is left.
  }
}

/** Kills a program, or the rest of its group. */
export function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL')
  running.delete(child)
}
