// The table of the settings in docs/settings.md.
import { tableOf } from '../../harness/cli/setting.ts'
import { withSection } from '../../harness/page-section.ts'
import { SECTIONS } from './settings.ts'

const MARKS = { begin: '<!-- settings: written by npm run docs -->', end: '<!-- /settings -->' }

/** A document with the table between its marks as it has to be. Throws if the marks are missing. */
export const withSettingsTable = (document: string): string => withSection(document, MARKS, tableOf(SECTIONS))
