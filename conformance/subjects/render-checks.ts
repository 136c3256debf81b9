// Writes the checks of all subjects as data (checks.json), a line for each check.
import type { Check } from '../contract/check.ts'
import { type CaseHead, loadClient, loadGateway, loadPair, loadRecording, loadServer } from './index.ts'

export async function renderChecks(): Promise<string> {
  const [server, client, gateway, recording, pair] = await Promise.all([
    loadServer(),
    loadClient(),
    loadGateway(),
    loadRecording(),
    loadPair(),
  ])
  const { cases, observers } = server.catalogue
  return `{
"server": {
"cases": ${lines(cases)},
"observers": ${lines(observers)}
},
"client": ${lines(client.checks)},
"gateway": {
"checks": ${lines(gateway.checks)},
"slow": ${JSON.stringify([...gateway.slow])}
},
"recording": ${lines(recording.checks)},
"pair": ${lines(pair.checks)}
}
`
}

function lines(checks: readonly (Check | CaseHead)[]): string {
  return `[\n${checks.map((check) => JSON.stringify(headOf(check))).join(',\n')}\n]`
}

/** The members of a check that a list needs; absent ones are left out. */
function headOf({ id, requirement, title, exclusive, thorough, alwaysQuick }: Check & Partial<CaseHead>) {
  return { id, requirement, title, exclusive, thorough, alwaysQuick }
}
