// The client as a subject, and what other parts of the judge may use of it.
import { PROGRAM } from '../../../harness/program.ts'
import type { Subject } from '../../contract/subject.ts'
import { clientChecks, clientRows, scenarios, selectChecks, serveScenarios } from './catalogue.ts'
import { describeScript } from './describe.ts'
import { judgeCommand, observeClient } from './judge.ts'
import { judgeObserved } from './judge-observed.ts'
import { recordedCalls } from './recorded-calls/call-checks.ts'
import { serveClients } from './serve.ts'
import { clientSettings } from './settings.ts'

export const client = {
  name: 'client',
  rows: (profile) => (profile === 'service' ? clientRows : []),
  checks: clientChecks,
  select: ({ profile, only }) =>
    profile === 'service' ? selectChecks(only).checks.map(({ check }) => check) : [],
  noteOn: () => ' (of a client)',
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
  observe: observeClient,
  judgeObserved,
  serveScenarios,
  judge: judgeCommand,
  serve: serveClients,
  recordedCalls,
} satisfies Subject & Record<string, unknown>
