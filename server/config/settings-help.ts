// The text of `--help`.
import { helpOf } from '../../harness/cli/setting.ts'
import { SECTIONS } from './settings.ts'

/** @param command the words before the flags */
export const usageOf = (
  command: string,
): string => `Usage: ${command} [--port N] [--host H] [--data DIR] [--workers N]

A flag wins over its environment variable. In brackets: the default, and what may be given.
${SECTIONS.map(([title, settings]) => `\n${title}\n${helpOf(settings)}`).join('')}`
