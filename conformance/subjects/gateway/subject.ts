// The gateway as a subject, and what other parts of the judge may use of it.
import { type Subject, lazy } from '../../contract/subject.ts'
import { gatewayChecks, scenarios } from './catalogue.ts'
import { gatewayListing } from '../listing.ts'

/** The checks of slow scenarios alone. */
const slow = new Set(
  gatewayChecks
    .filter((check) => {
      const own = scenarios.filter(({ checks }) => checks.includes(check))
      return own.length > 0 && own.every(({ isSlow }) => isSlow === true)
    })
    .map(({ id }) => id),
)

export const gateway = {
  ...gatewayListing(gatewayChecks, slow),
  slow,
  judge: lazy(async () => (await import('./judge.ts')).judgeGateway),
  judgeAgain: lazy(async () => (await import('./judge.ts')).judgeRecordedGateway),
  judgeThrough: lazy(async () => (await import('./judge-through.ts')).judgeThrough),
  startUpstream: lazy(async () => (await import('./scripted-upstream.ts')).startUpstream),
} satisfies Subject & Record<string, unknown>
