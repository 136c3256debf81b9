// Describes scenarios: the answers of the service in turn, for example `429 Retry-After: 2, then 200`.
import type { Scenario } from './scenario.ts'
import { PLAIN_REQUEST } from '../../../harness/scripted-service/reply.ts'

/** The answers of a script; the last one answers all requests that follow. */
export function describeScript({ script, requested, clients = 1 }: Scenario): string {
  const asked = { ...PLAIN_REQUEST, stream: requested?.stream === true, tools: requested?.tools === true }
  const answers = script.map((step) => {
    const { status, headers, end } = step(asked)
    if (end === 'silent' || end === 'reset') return 'no answer'
    const shown = Object.entries(headers).filter(([name]) => name !== 'content-type')
    const kind = headers['content-type'] === 'text/event-stream' ? ' event stream' : ''
    const ending = { complete: '', cut: ', cut', endless: ', without end', stalled: ', stalled' }[end]
    return `${status}${kind}${shown.map(([name, value]) => ` ${name}: ${value}`).join('')}${ending}`
  })
  const last = answers.length === 1 && !answers[0]?.startsWith('200') ? ', each time' : ''
  return `${clients > 1 ? `to ${clients} calls at once: ` : ''}${answers.join(', then ')}${last}`
}
