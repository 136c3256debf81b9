// A check without a verdict may name the row or the check that judges what it met, for example `…, which CHAT-1 judges`.
import type { CheckResult } from '../contract/result.ts'

const NAMED = /, which (?:([A-Z]+-\d+)|`([a-z0-9.-]+)`) judges(?: [^,]*)?$/

/** Returns the results, with reasons that name a row or a check only if that one does not hold: a reader looks there. */
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
