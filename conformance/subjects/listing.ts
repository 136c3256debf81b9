// The parts of the subjects client, gateway, recording and pair that need no function of a check, so that a list is made without loading their
// scenarios.
import { requirements } from '../../spec/catalogue/requirements.ts'
import { PROGRAM } from '../../harness/program.ts'
import type { Check } from '../contract/check.ts'
import { selector } from '../contract/selection.ts'
import type { Subject } from '../contract/subject.ts'
import { rowsOf } from '../contract/verdict.ts'

/** @param slow the ids of the checks that a quick run leaves out */
function listing<Each extends Check>(
  name: Subject['name'],
  checks: readonly Each[],
  slow: ReadonlySet<string> = new Set(),
) {
  const rows = requirements.filter(({ subject }) => subject === name)
  return {
    name,
    rows: (profile) => (profile === 'service' ? rows : []),
    checks,
    select: ({ profile, quick, only, tier }) =>
      profile === 'service'
        ? checks.filter(selector({ only, tier })).filter(({ id }) => !(quick === true && slow.has(id)))
        : [],
    noteOn: () => ` (of a ${name})`,
  } satisfies Omit<Subject, 'exampleOf'>
}

export function clientListing<Each extends Check & { readonly thorough?: boolean }>(checks: readonly Each[]) {
  const slow = checks.filter(({ thorough }) => thorough === true).map(({ id }) => id)
  return listing('client', checks, new Set(slow))
}

export function gatewayListing(checks: readonly Check[], slow: ReadonlySet<string>) {
  return {
    ...listing('gateway', checks, slow),
    exampleOf: ({ id }) => ({
      title: '',
      lines: [`${PROGRAM} gateway --base-url http://127.0.0.1:4000 --only ${id}`],
    }),
  } satisfies Subject
}

/** The checks of the uses of a client with a server. */
export function pairListing(checks: readonly Check[]) {
  return {
    ...listing('pair', checks),
    exampleOf: ({ id }) => ({
      title: '',
      lines: [`${PROGRAM} pair --base-url URL --only ${id} -- COMMAND`],
    }),
  } satisfies Subject
}

/** The checks of recordings alone, of rows of servers and clients: in a live run other checks send requests for them. */
export function recordingListing(checks: readonly Check[]) {
  const ofServers = new Set<string>(
    requirements.filter(({ subject }) => subject === 'server').map(({ id }) => id),
  )
  return {
    name: 'recording',
    rows: () => [],
    checks,
    select: ({ profile, only, tier }) => {
      const rows = profile === 'service' ? undefined : rowsOf(profile).filter(({ id }) => ofServers.has(id))
      return checks.filter(selector({ ...(rows && { rows }), only, tier }))
    },
    noteOn: () => ' (of a recording)',
    exampleOf: ({ id }) => ({ title: '', lines: [`${PROGRAM} recorded FILE --only ${id}`] }),
  } satisfies Subject
}
