// Completion of commands, flags, values and files in bash, zsh and fish.
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Complete, RootCommand } from '@bomb.sh/tab'
import type { ProgramSpec } from './command-line.ts'
import { isShown, nameOf, takesValue } from './flags.ts'
import { UsageError } from './usage-error.ts'

export const SHELLS = ['bash', 'zsh', 'fish']

/** Prints the script of a shell, which calls `executable` for completions of the command `name`. Throws `UsageError`. */
export function printScript(shell: string | undefined, name: string, executable: string): void {
  if (shell === undefined || !SHELLS.includes(shell))
    throw new UsageError(`complete: expected ${SHELLS.join(', ')}, received '${shell ?? ''}'`)
  new RootCommand().setup(name, executable, shell)
}

/** Prints what the last of these words can become, a line for each, as the scripts expect it. */
export function printCompletions(spec: ProgramSpec, words: readonly string[]): void {
  const root = new RootCommand()
  const [main] = spec.commands
  const files = (complete: Complete): void => completeFiles(words.at(-1) ?? '', complete)
  const offer = (values: readonly string[]) => (complete: Complete) => {
    for (const value of values) complete(value, '')
  }
  for (const { name, about, operands, choices } of spec.commands) {
    // The flags are those of the default command if there is no command.
    for (const command of name === main.name
      ? [root, root.command(name, about)]
      : [root.command(name, about)]) {
      for (const flag of Object.values(spec.flags).filter((each) => isShown(each, name))) {
        const about = flag.about.replaceAll('`', '')
        if (!takesValue(flag)) command.option(nameOf(flag), about)
        else if (flag.usage.endsWith('FILE')) command.option(nameOf(flag), about, files)
        else command.option(nameOf(flag), about, offer(flag.choices ?? []))
      }
      if (operands !== undefined)
        command.argument(operands, choices === undefined ? files : offer(choices), true)
    }
  }
  root.parse([...words])
}

function completeFiles(word: string, complete: Complete): void {
  const path = word.replace(/^--[a-z-]+=/, '')
  const folder = path.endsWith('/') ? path : dirname(path)
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name)
      complete(`${path.startsWith('./') ? './' : ''}${file}${entry.isDirectory() ? '/' : ''}`, '')
    }
  } catch {
    // A folder that does not exist has nothing to offer.
  }
}
