// A check without a verdict may name the row or the check that judges the fault it met, for example `…, which CHAT-1 judges`.
import type { CheckResult } from '../contract/result.ts'

const NAMED = /, which (?:([A-Z]+-\d+)|`([a-z0-9.-]+)`) judges(?: [^,]*)?$/

/** Returns the results; their reasons name only rows and checks that do not hold, so that a reader finds the fault there. */
export function withFoundedReasons(results: readonly CheckResult[]): readonly CheckResult[] {
  const broken = new Set(
    results
      .filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
      .flatMap(({ id, requirement }) => [id, requirement] as const),
  )
  return results.map((result) => {
    const { reason, mismatch } = result
    const [phrase, row, check = ''] = (mismatch === undefined && reason && NAMED.exec(reason)) || []
    if (reason === undefined || phrase === undefined || broken.has(row ?? check)) return result
    return { ...result, reason: reason.slice(0, -phrase.length) }
  })
}
