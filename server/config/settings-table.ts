// The table of the settings in docs/settings.md.
import { withSection } from '../../harness/page-section.ts'
import type { Setting } from './setting.ts'
import { defaultOf, SECTIONS } from './settings.ts'

const MARKS = { begin: '<!-- settings: written by npm run docs -->', end: '<!-- /settings -->' }

/** A document with the table between its marks as it has to be. Throws if the marks are missing. */
export function withSettingsTable(document: string): string {
  const rows = SECTIONS.flatMap(([title, settings]) =>
    [`| **${title}** | | | |`].concat(Object.values(settings).map(tableRow)),
  )
  return withSection(document, MARKS, [
    '| setting | meaning | default | range |',
    '|---|---|---|---|',
    ...rows,
  ])
}

function tableRow(setting: Setting): string {
  const { env, flag, about, range = '' } = setting
  const name = flag === undefined ? `\`${env}\`` : `\`${env}\`, \`--${flag}\``
  return `| ${[name, about, defaultOf(setting), range].join(' | ')} |`
}
