// Checks a pair, whose schema holds: it has every use, and each verdict says what it must.
import { CATALOGUE_VERSION } from '../../../../spec/catalogue/requirements.ts'
import { type Pair, USE_IDS, type Used, isFault } from '../pair-entry.ts'
import { type Problem, checkDate, problem } from './check-entry.ts'

export function checkPair(pair: Pair, now: Date): readonly Problem[] {
  const { catalogue, date, uses } = pair
  return [
    ...(Number(catalogue) <= Number(CATALOGUE_VERSION)
      ? []
      : [problem('catalogue', catalogue, `at most ${CATALOGUE_VERSION}`)]),
    ...checkDate('date', date, now),
    ...USE_IDS.flatMap((id) => {
      const used = uses[id]
      return used === undefined
        ? [problem(`uses.${id}`, 'nothing', 'a verdict')]
        : checkUse(`uses.${id}`, used)
    }),
  ]
}

/** A verdict against a side names it; one that works names none; `not-offered` shows who says so. */
function checkUse(place: string, { verdict, side, requirement, exchange, fromProxy, documentation }: Used) {
  const isAtFault = isFault(verdict)
  const problems: Problem[] = []
  const expect = (holds: boolean, member: string, received: string, expected: string): void => {
    if (!holds) problems.push(problem(`${place}.${member}`, received, expected))
  }
  if (isAtFault || verdict === 'not-offered')
    expect(side !== undefined, 'side', 'nothing', `the side of a verdict ${verdict}`)
  else expect(side === undefined, 'side', String(side), `no side of a verdict ${verdict}`)
  expect(isAtFault || requirement === undefined, 'requirement', String(requirement), 'a row only of a fault')
  expect(
    verdict !== 'works' || exchange !== undefined,
    'exchange',
    'nothing',
    'the exchange of a use that works',
  )
  expect(
    fromProxy === undefined || side !== 'server',
    'side',
    'server',
    'the client, because the proxy gave the answer',
  )
  const isDocumented = verdict === 'not-offered' && side === 'client'
  expect(
    isDocumented === (documentation !== undefined),
    'documentation',
    documentation ?? 'nothing',
    isDocumented ? 'the page that shows it' : 'a page only of a use that the client does not offer',
  )
  return problems
}
