// The text of `--help`.
import type { Setting } from './setting.ts'
import { defaultOf, SECTIONS } from './settings.ts'

export const USAGE = `Usage: npm start -- [--port N] [--host H] [--data DIR] [--workers N]

A flag wins over its environment variable. In brackets: the default, and what may be given.
${SECTIONS.map(([title, settings]) => `\n${title}\n${Object.values(settings).map(helpLine).join('')}`).join('')}`

function helpLine(setting: Setting): string {
  const { env, flag, about, range } = setting
  const name = flag === undefined ? env : `--${flag}, ${env}`
  return `  ${name.padEnd(30)}  ${about} (${[defaultOf(setting), range].filter(Boolean).join('; ')})\n`
}
