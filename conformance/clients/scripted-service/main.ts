// The process of the scripted service: it does nothing but answer and measure, and ends with the judge.
import { type News, order } from './messages.ts'
import { startScriptedService } from './service.ts'

/** Where the judge is gone, nobody hears it: `disconnect` comes then. */
const say = (message: News): void => void process.send?.(message, undefined, undefined, () => {})

// A terminal interrupts the judge and this process alike: the judge still has to hear what was seen.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
process.once('disconnect', () => process.exit())

const service = await startScriptedService({
  onCall: (name, place, call) => say({ kind: 'call', name, place, call }),
  onDelay: (delay) => say({ kind: 'delay', ...delay }),
})
process.on('message', (message) => {
  const said = order.parse(message)
  if (said.kind === 'open') service.open(said.served)
  else say({ kind: 'settled' })
})
say({ kind: 'listening', origin: service.origin })
