// Keys that cases make for themselves, if the judge can make keys.
import type { CaseContext } from '../../runner/case.ts'
import { Inconclusive } from '../../runner/outcomes.ts'
import type { MadeKey } from '../../../harness/keys/key-command.ts'

/** Makes a key; undefined if the judge cannot make one. */
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
