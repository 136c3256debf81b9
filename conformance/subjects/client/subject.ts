// The client as a subject, and what other parts of the judge may use of it.
import { PROGRAM } from '../../../harness/program.ts'
import { PLAIN_REQUEST } from '../../../harness/scripted-service/scripted-reply.ts'
import { clientListing } from '../listing.ts'
import { type Subject, lazy } from '../../contract/subject.ts'
import { clientChecks, scenarios, selectChecks, serveScenarios } from './catalogue.ts'
import { judgeObserved } from './judge-observed.ts'
import { recordedCalls } from './recorded-calls/call-checks.ts'
import type { Scenario } from './scenario.ts'
import { clientSettings } from './settings.ts'

export const client = {
  ...clientListing(clientChecks),
  /** The answers of the service in the scenario of a check, and the command that judges a program by it. */
  exampleOf({ id }) {
    const scenario = scenarios.find(({ checks }) => checks.some((check) => check.id === id))
    const answers =
      scenario === undefined
        ? 'checked on every request of every scenario'
        : `the service answers ${describeScript(scenario)}`
    return { title: `${id}: ${answers}`, lines: [`${PROGRAM} client --only ${id} -- COMMAND`] }
  },
  settings: clientSettings,
  selection: selectChecks,
  observe: lazy(async () => (await import('./judge.ts')).observeClient),
  judgeObserved,
  serveScenarios,
  judge: lazy(async () => (await import('./judge.ts')).judgeCommand),
  judgeAgain: lazy(async () => (await import('./judge.ts')).judgeRecordedCommand),
  serve: lazy(async () => (await import('./serve-addresses.ts')).serveClients),
  recordedCalls,
} satisfies Subject & Record<string, unknown>

/** The answers of the service in turn, for example `429 Retry-After: 2, then 200`; the last one answers all that follow. */
function describeScript({ script, requested, clients = 1 }: Scenario): string {
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
