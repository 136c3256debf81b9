// The pairs of a run as a table for a terminal: a line for each use, a column for each pair, and a note for each fault.
import type { Pen, Style } from '../../../harness/cli/pen.ts'
import { printable, wrap } from '../../../harness/cli/text.ts'
import { type Pair, USES, USE_IDS, VERDICTS, type Used, type Verdict } from '../results/pair-entry.ts'

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  works: 'works',
  'works-with-a-defect': 'works with a defect',
  fails: 'fails',
  'not-offered': 'not offered',
  'not-tried': 'not tried',
}

const STYLES: Readonly<Record<Verdict, Style>> = {
  works: 'green',
  'works-with-a-defect': 'yellow',
  fails: 'red',
  'not-offered': 'dim',
  'not-tried': 'dim',
}

/** The pair as a section: each use with its verdict, and the reason of each that does not work. */
export function renderPair({ client, server, seconds, uses }: Pair, pen: Pen): string {
  const head = `${client.title} ${client.version} with ${server.title} ${server.version}`
  const shown = USE_IDS.flatMap((id) => {
    const used = uses[id]
    return used === undefined ? [] : [[id, used] as const]
  })
  const width = Math.max(...shown.map(([id]) => USES[id].length))
  const lines = shown.flatMap(([id, used]) => {
    const first = `  ${USES[id].padEnd(width)}  ${pen.paint(STYLES[used.verdict], VERDICT_WORDS[used.verdict])}${faultOf(used)}`
    return used.verdict === 'works'
      ? [first]
      : [first, ...wrap(printable(used.text), pen.columns - 6).map((line) => `      ${line}`)]
  })
  return [
    pen.paint('bold', printable(head)),
    ...lines,
    `  ${summaryOf(shown.map(([, used]) => used))}, ${seconds} s`,
    '',
  ].join('\n')
}

function faultOf({ side, requirement, fromProxy }: Used): string {
  const parts = [
    side === undefined ? '' : `by the ${side}`,
    requirement ?? '',
    fromProxy ? 'the proxy answered' : '',
  ]
  const shown = parts.filter((part) => part !== '')
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`
}

/** The number of uses of each verdict that occurs, the best first. */
export function summaryOf(uses: readonly Used[]): string {
  return VERDICTS.map(
    (verdict) => [uses.filter((used) => used.verdict === verdict).length, VERDICT_WORDS[verdict]] as const,
  )
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(', ')
}
