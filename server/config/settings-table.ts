// The settings for readers: the text of `--help`, and the table in README.md.
import type { Setting } from './setting.ts'
import { SECTIONS } from './settings.ts'

/** The text of `--help`. */
export const USAGE = `Usage: npm start -- [--port N] [--host H] [--data DIR] [--workers N]

A flag wins over its environment variable. In brackets: the default, and what may be given.
${SECTIONS.map(([title, settings]) => `\n${title}\n${Object.values(settings).map(helpLine).join('')}`).join('')}`

function helpLine({ facts: { env, flag, meaning, shown, range } }: Setting): string {
  const name = flag === undefined ? env : `--${flag}, ${env}`
  return `  ${name.padEnd(30)}  ${meaning} (${[shown, range].filter(Boolean).join('; ')})\n`
}

const START = '<!-- settings: written by npm run docs -->'
const END = '<!-- /settings -->'

/** A document with the table between its marks as it has to be. Throws where the marks are missing. */
export function withSettingsTable(document: string): string {
  const [before, rest] = document.split(START)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`expected ${START} and ${END}`)
  return `${before}${START}\n${settingsTable()}${END}${after}`
}

function settingsTable(): string {
  const sections = SECTIONS.map(
    ([title, settings]) => `| **${title}** | | | |\n${Object.values(settings).map(tableRow).join('')}`,
  )
  return `| setting | meaning | default | range |\n|---|---|---|---|\n${sections.join('')}`
}

function tableRow({ facts: { env, flag, meaning, shown, range = '' } }: Setting): string {
  const name = flag === undefined ? `\`${env}\`` : `\`${env}\`, \`--${flag}\``
  return `| ${[name, meaning, shown, range].join(' | ')} |\n`
}
