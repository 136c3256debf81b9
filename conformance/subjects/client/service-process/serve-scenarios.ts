// The process of the scripted service: it only answers and measures, and ends with the judge.
import { contain, ownProcess } from '../../../../harness/containment.ts'
import { serveScenarios } from '../catalogue.ts'
import { type News, order } from './service-messages.ts'

/** If the judge has ended, a message is lost, and `disconnect` follows. */
const say = (message: News): void => void process.send?.(message, undefined, undefined, () => {})

// A terminal interrupts this process together with the judge, which still needs the recorded requests.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
process.once('disconnect', () => process.exit())

/** Reports an error that nothing caught; the service goes on. */
function fault(error: unknown, name?: string): void {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error))
  say({ kind: 'fault', message, stack, ...(name === undefined ? {} : { name }) })
}

ownProcess(fault)
void serve()

/** A rejection is an error that nothing caught. */
async function serve(): Promise<void> {
  const service = await serveScenarios({
    onCall: (name, place, call) => say({ kind: 'call', name, place, call }),
    onDelay: (delay) => say({ kind: 'delay', ...delay }),
  })
  process.on('message', (message) => {
    const said = order.parse(message)
    if (said.kind === 'settle') return say({ kind: 'settled' })
    const { served } = said
    // The requests of a scenario are answered in the scope that opened it.
    void contain(
      (error) => fault(error, served.name),
      async () => service.open(served),
    )
    return undefined
  })
  say({ kind: 'listening', origin: service.origin })
}
