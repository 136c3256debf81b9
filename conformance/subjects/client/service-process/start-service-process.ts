// The scripted service in its own process, so that the work of the judge, such as starting programs, does not delay
// answers or distort measured times.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { giveToScope } from '../../../../harness/containment.ts'
import { MODULE_ENDING } from '../../../../harness/program.ts'
import { createDelayLog, watchDelays } from '../../../../harness/scripted-service/measuring-clock.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import { type News, type Order, news } from './service-messages.ts'
import { nextEvent } from '../../../../harness/scripted-service/next-event.ts'
import type { ScriptedService } from '../../../../harness/scripted-service/scripted-service.ts'

const entry = join(import.meta.dirname, `serve-scenarios${MODULE_ENDING}`)

/** Starts the process, and resolves when it listens. */
export async function startServiceProcess(): Promise<ScriptedService> {
  const child = fork(entry, { execArgv: [], serialization: 'advanced' })
  const calls = new Map<string, Call[]>()
  /** The scope that opened each scenario. */
  const scopes = new Map<string, ReturnType<typeof AsyncLocalStorage.snapshot>>()
  // A caller for each running scenario may wait.
  const changes = new EventEmitter().setMaxListeners(0)
  const delays = createDelayLog()
  const listening = Promise.withResolvers<string>()
  const settling: PromiseWithResolvers<void>[] = []
  const order = (message: Order): void => void child.send(message)

  function hear(said: News): void {
    switch (said.kind) {
      case 'listening':
        return listening.resolve(said.origin)
      case 'call': {
        const own = calls.get(said.name)
        if (own !== undefined) own[said.place] = said.call
        return void changes.emit(said.name)
      }
      case 'delay':
        return delays.add(said)
      case 'settled':
        return settling.shift()?.resolve()
      case 'fault': {
        const error = Object.assign(new Error(said.message), { stack: said.stack })
        const within = scopes.get(said.name ?? '')
        return within === undefined ? giveToScope(error) : within(giveToScope, error)
      }
    }
  }

  child.on('message', (message) => hear(news.parse(message)))
  function fail(why: string): void {
    const error = new Error(`the scripted service has ended: ${why}`)
    for (const { reject } of [listening, ...settling]) reject(error)
  }
  child.on('error', ({ message }) => fail(message))
  child.once('exit', (code, signal) => fail(signal ?? `exit code ${code}`))
  const origin = await listening.promise
  // This process starts the programs, so it is the first to show that a machine is too busy for them.
  const stopWatching = watchDelays(delays.add)

  return {
    origin,
    open(served) {
      calls.set(served.name, [])
      scopes.set(served.name, AsyncLocalStorage.snapshot())
      order({ kind: 'open', served })
    },
    calls: (name) => calls.get(name) ?? [],
    next: (name, signal) => nextEvent(changes, name, signal),
    busyMs: delays.longest,
    delays: delays.all,
    async settled() {
      if (!child.connected) throw new Error('the scripted service has ended')
      const settled = Promise.withResolvers<void>()
      settling.push(settled)
      order({ kind: 'settle' })
      await settled.promise
    },
    async close() {
      stopWatching()
      if (!child.connected) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
