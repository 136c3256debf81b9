// Contains errors that nothing catches: of a callback of a socket, a decoder, a timer or a child process, and of a promise that
// is not awaited. Each belongs to the scope in which its work was started, however late it comes. An error without a scope
// belongs to the program if that owns its process, and is otherwise left to the host, which notices nothing of this file.
import { AsyncLocalStorage } from 'node:async_hooks'

export type OnUncaught = (error: unknown) => void

/** An error that nothing caught. It has the stack of that error, and no cause: it is never the outcome that this stands for. */
export class UncaughtError extends Error {
  override readonly name = 'UncaughtError'
  readonly original: unknown

  constructor(error: unknown) {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    super(`an error that nothing caught: ${message}`)
    this.original = error
    this.stack = `${this.name}: ${stack ?? this.message}`
  }
}

/** The exit code of Node for a module whose top-level await never settles. */
const UNSETTLED = 13

const scopes = new AsyncLocalStorage<OnUncaught>()
/** The contained runs in progress, the latest last. */
const running = new Set<OnUncaught>()
let owner: OnUncaught | undefined
let stopListening: (() => void) | undefined

/**
 * Runs `act`. Until it settles, an error that nothing catches in what it starts goes to `onUncaught`; so does one that belongs
 * to no scope, if the program owns its process.
 */
export async function contain<Result>(onUncaught: OnUncaught, act: () => Promise<Result>): Promise<Result> {
  running.add(onUncaught)
  stopListening ??= listen()
  try {
    return await scopes.run(onUncaught, act)
  } finally {
    running.delete(onUncaught)
    if (running.size === 0 && owner === undefined) {
      stopListening?.()
      stopListening = undefined
    }
  }
}

/**
 * Runs a part of a contained run in a scope of its own: rejects with an `UncaughtError` as soon as nothing catches an error of
 * it. Such errors that come when it has settled go to `onLate`.
 */
export async function containPart<Result>(
  act: () => Promise<Result>,
  onLate: (error: UncaughtError) => void,
): Promise<Result> {
  const first = Promise.withResolvers<never>()
  let report: (error: UncaughtError) => void = first.reject
  try {
    return await Promise.race([scopes.run((error) => report(new UncaughtError(error)), act), first.promise])
  } finally {
    report = onLate
  }
}

/** Gives an error to the scope of the caller, as if nothing had caught it. Throws it if there is no scope. */
export function giveToScope(error: unknown): void {
  const report = scopes.getStore()
  if (report === undefined) throw error
  report(error)
}

/** Runs a function of the caller outside of all scopes, with its arguments, however deep in a run it is called. */
export const outsideOfScopes =
  <Args extends readonly unknown[], Result>(act: (...args: Args) => Result) =>
  (...args: Args): Result =>
    scopes.exit(() => act(...args))

/**
 * Makes this program the owner of its process: an error that belongs to no scope goes to the latest contained run in progress,
 * or else to `onUncaught`. So does the end of all work during a run: nothing could settle it any more.
 */
export function ownProcess(onUncaught: OnUncaught): void {
  owner = onUncaught
  stopListening ??= listen()
  process.on('beforeExit', () => {
    const latest = [...running].at(-1)
    latest?.(new Error('nothing is left to wait for, and the run has not ended'))
  })
  // The same outside of a run: the exit code of Node would be another one.
  process.on('exit', () => {
    if (process.exitCode !== UNSETTLED) return
    process.exitCode = 2
    onUncaught(new Error('nothing is left to wait for, and the program has not ended'))
  })
}

/** The one to whom an error belongs in whose callback this is called; undefined for the host. */
function receiverOfErrors(): OnUncaught | undefined {
  return scopes.getStore() ?? (owner === undefined ? undefined : ([...running].at(-1) ?? owner))
}

/**
 * Hears of uncaught errors before all listeners of the process, which must not take one of the judge for their own: a host may
 * end itself then. Nothing is added to them, so an error of the host meets what it would have met without the judge. Returns the
 * function that undoes it.
 */
function listen(): () => void {
  const before = Object.getOwnPropertyDescriptor(process, 'emit')
  const { emit } = process
  let isOver = false
  function emitUnlessContained(...event: readonly unknown[]): boolean {
    const [name, error] = event
    if (!isOver && (name === 'uncaughtException' || name === 'unhandledRejection')) {
      const report = receiverOfErrors()
      if (report !== undefined) {
        report(error)
        return true
      }
    }
    return Reflect.apply(emit, process, event)
  }
  Object.defineProperty(process, 'emit', { value: emitUnlessContained, configurable: true, writable: true })
  return () => {
    isOver = true
    // Another one may have done the same since, and calls this one.
    if (!Object.is(process.emit, emitUnlessContained)) return
    if (before === undefined) Reflect.deleteProperty(process, 'emit')
    else Object.defineProperty(process, 'emit', before)
  }
}
