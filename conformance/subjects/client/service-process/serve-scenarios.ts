// The process of the scripted service: it only answers and measures, and ends with the judge.
import { serveScenarios } from '../catalogue.ts'
import { type News, order } from './service-messages.ts'

/** If the judge has ended, a message is lost, and `disconnect` follows. */
const say = (message: News): void => void process.send?.(message, undefined, undefined, () => {})

// A terminal interrupts this process together with the judge, which still needs the recorded requests.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
process.once('disconnect', () => process.exit())

const service = await serveScenarios({
  onCall: (name, place, call) => say({ kind: 'call', name, place, call }),
  onDelay: (delay) => say({ kind: 'delay', ...delay }),
})
process.on('message', (message) => {
  const said = order.parse(message)
  if (said.kind === 'open') service.open(said.served)
  else say({ kind: 'settled' })
})
say({ kind: 'listening', origin: service.origin })
