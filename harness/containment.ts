// Contains errors that nothing catches: of a callback of a socket, a decoder, a timer or a child process, and of a
// promise that is not awaited. Each belongs to the scope that started its work, however late it comes. An error without
// a scope belongs to the program if it owns its process, and otherwise to the host, as if this file did not exist.
import { AsyncLocalStorage } from 'node:async_hooks'

export type OnUncaught = (error: unknown) => void

/** An error that nothing caught. It has that error's stack but no cause, so that it is never an outcome. */
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
 * Runs `act`. Until it settles, `onUncaught` gets each uncaught error of its work and, if the program owns its process,
 * each one without a scope.
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
 * Runs a part of a contained run in a scope of its own. Rejects with an `UncaughtError` at its first uncaught error.
 * `onLate` gets the uncaught errors after it has settled.
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

/** Makes a function of the caller run outside of all scopes, even if a run calls it. */
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
  // Without a run the program reports the end itself, because Node would set another exit code.
  process.on('exit', () => {
    if (process.exitCode !== UNSETTLED) return
    process.exitCode = 2
    onUncaught(new Error('nothing is left to wait for, and the program has not ended'))
  })
}

/** Returns the function that gets an error of the current callback; undefined if the host gets it. */
function receiverOfErrors(): OnUncaught | undefined {
  return scopes.getStore() ?? (owner === undefined ? undefined : ([...running].at(-1) ?? owner))
}

/**
 * Receives uncaught errors before the listeners of the process, because a host may end itself at an error of the judge.
 * It adds no listener, so an error of the host has the same effect as without the judge. Returns the function that
 * undoes it.
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
    // Another library may have replaced `emit` since, and calls this function.
    if (!Object.is(process.emit, emitUnlessContained)) return
    if (before === undefined) Reflect.deleteProperty(process, 'emit')
    else Object.defineProperty(process, 'emit', before)
  }
}
