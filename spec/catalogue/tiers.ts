// The tiers of the rows that judge servers: most deployments hold what a client library needs and accept what they should
// refuse, and one verdict over both hides what users notice.
import { isRequirementId, requirement } from './requirements.ts'

/** `interop`: a valid request works, and its answer can be read; `strict`: invalid requests are refused properly, and formalities. */
export const TIERS = ['interop', 'strict'] as const
export type Tier = (typeof TIERS)[number]

/** The numbers of the rows of tier `interop`, by section; every other row is `strict`. */
const INTEROP: Readonly<Record<string, readonly (number | readonly [first: number, last: number])[]>> = {
  AUTH: [1, 3, 5],
  KEY: [[3, 5], 7],
  MODEL: [1, 4],
  CHAT: [1, 2, [7, 10]],
  ERR: [1, 3, 4, 6],
  LIMIT: [[1, 3], 7],
  WIRE: [[1, 9], [13, 15], [17, 20], 22, 24, [26, 29], 31, 32, 37],
  STREAM: [[1, 12]],
  TOOL: [[1, 7], 9],
  SDK: [1, 2],
}

/** The tier of a row; undefined if it does not judge servers, or if no row has this id. */
export function tierOf(id: string): Tier | undefined {
  if (!isRequirementId(id) || requirement(id).subject !== 'server') return undefined
  const [section = '', number] = id.split('-')
  const isInterop = INTEROP[section]?.some((rows) => {
    const [first, last] = typeof rows === 'number' ? [rows, rows] : rows
    return first <= Number(number) && Number(number) <= last
  })
  return isInterop === true ? 'interop' : 'strict'
}
