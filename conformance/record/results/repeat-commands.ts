// The commands that repeat a result, as a person sends them: one a line, and one of them runs the judge.
import { readGiven } from '../../../harness/bounds/read-file.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { nameOf, takesValue } from '../../../harness/cli/flags.ts'
import { REPORT_FLAGS, FLAGS as JUDGE_FLAGS } from '../../cli/judge-flags.ts'

/** Flags whose values differ from machine to machine, or are files. */
const LEFT_OUT = new Set(
  [
    JUDGE_FLAGS.baseUrl,
    JUDGE_FLAGS.listen,
    JUDGE_FLAGS.upstream,
    JUDGE_FLAGS.capture,
    JUDGE_FLAGS.config,
    ...Object.values(REPORT_FLAGS),
  ].map(nameOf),
)

/** The largest file of commands, in bytes. */
const MOST_COMMANDS_BYTES = 64 * 1024

/** Reads the lines of a file that are neither empty nor a comment. Throws `UsageError` if no line runs the judge. */
export function readCommands(file: string): readonly string[] {
  const lines = readGiven(`--reproduce ${file}`, file, MOST_COMMANDS_BYTES)
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.some((line) => JUDGE.test(line) || RECIPE.test(line))) return lines
  throw new UsageError(
    `${file}: expected a line that runs the judge, for example npx touchstone --base-url …`,
  )
}

const JUDGE = /(?:npm run (?:-s |--silent )?conformance\b(?: --)?|touchstone(?:@\S+)?)(?=\s|$)/
const RECIPE = /npm run results -- reproduce /

/** The flags of the judge in these commands, without addresses and files; undefined if a recipe runs the judge. */
export function judgeFlags(commands: readonly string[]): readonly string[] | undefined {
  const line = commands.find((each) => JUDGE.test(each))
  if (line === undefined) return undefined
  const words = shellWords(line.slice((JUDGE.exec(line)?.index ?? 0) + (JUDGE.exec(line)?.[0].length ?? 0)))
  const flags: string[] = []
  for (let at = 0; at < words.length && words[at] !== '--'; at += 1) {
    const [word = '', value] = (words[at] ?? '').split(/=(.*)/s, 2)
    if (!word.startsWith('--')) continue
    const flag = Object.values(JUDGE_FLAGS).find((each) => `--${nameOf(each)}` === word)
    const follows = flag !== undefined && takesValue(flag) && value === undefined ? words[(at += 1)] : value
    if (flag === undefined || LEFT_OUT.has(nameOf(flag))) continue
    flags.push(word, ...(follows === undefined ? [] : [follows]))
  }
  return flags
}

/** The words of a line as a shell reads them, without expansion; the line ends at a pipe, a redirection or `&&`. */
function shellWords(line: string): readonly string[] {
  const [command = ''] = line.split(/\s(?:\||&&|;|>|2>)\s?/)
  const words = command.matchAll(/(?:[^\s"'\\]+|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+/g)
  return [...words].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
      (_, single?: string, double?: string, escaped?: string) =>
        single ?? escaped ?? (double ?? '').replaceAll(/\\(["\\$`])/g, '$1'),
    ),
  )
}
