// Keys that cases make for themselves, where the judge has a way to make them.
import type { CaseContext } from '../../runner/case.ts'
import { Inconclusive } from '../../runner/outcomes.ts'
import type { MadeKey } from '../../../harness/keys/key-command.ts'

/** A new key, or undefined where the judge has no way to make one. */
export async function keyIfPossible(
  t: CaseContext,
  ...options: Parameters<CaseContext['target']['createKey']>
): Promise<MadeKey | undefined> {
  try {
    return await t.target.createKey(...options)
  } catch (error) {
    if (error instanceof Inconclusive) return undefined
    throw error
  }
}
