// Reads a command line with commander: strict flags, help for each command, and a suggestion for a mistyped word. The flags
// come from the tables that `flags.ts` describes.
import { Command, CommanderError, Option } from 'commander'
import { redactKeys } from '../../spec/protocol/key.ts'
import { type Flag, type Flags, type Given, describe, isShown, nameOf, takesValue } from './flags.ts'
import { UsageError } from './usage-error.ts'

export interface CommandSpec {
  readonly name: string
  /** Another name for it. */
  readonly alias?: string
  /** One line for the list of commands and for the command's own help. */
  readonly about: string
  /** The operands in the syntax of commander, for example `[id]` or `[files...]`. */
  readonly operands?: string
  /** Values of the operand, for shell completion. */
  readonly choices?: readonly string[]
  /** The end of its help: examples and exit codes. */
  readonly notes: string
}

export interface ProgramSpec {
  /** How a person starts the program, for example `npx touchstone fuzz`. */
  readonly name: string
  readonly flags: Flags
  /** Whether a word can be an operand of the default command; other first words are commands. Default: any. */
  readonly isOperand?: (word: string) => boolean
  /** The first one is the default. A program with one command is called without its name. */
  readonly commands: readonly [CommandSpec, ...CommandSpec[]]
  /** The beginning and the end of the help that lists several commands. */
  readonly about?: string
  readonly notes?: string
  /** Advice on refused arguments; the first pattern that matches the message decides. */
  readonly advice?: readonly (readonly [pattern: RegExp, advice: string])[]
}

/** Reads the arguments. Throws `UsageError` with one line, which never repeats a key. */
export function readCommandLine(spec: ProgramSpec, args: readonly string[]) {
  const { words, isNamed } = withCommand(spec, args)
  const program = createProgram(spec)
  let command = program
  program.hook('preAction', (_, action) => {
    command = action
  })
  try {
    program.parse(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const [line = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n')
    const [, advice] = spec.advice?.find(([pattern]) => pattern.test(line)) ?? []
    if (advice !== undefined) throw new UsageError(redactKeys(`${line.replace(/\.$/, '')}: ${advice}`))
    throw new UsageError(redactKeys(`${line} ${suggestion || `(see ${spec.name} --help)`}`))
  }
  const name = command === program ? spec.commands[0].name : command.name()
  const given: Given = command.opts()
  checkCommand(spec.flags, given, name)
  /** The text to print, if `--help` is among the arguments. */
  const help = given['help'] === true ? helpOf(isNamed ? command : program) : undefined
  return {
    command: name,
    given,
    /** The arguments that are neither flags nor values of flags. */
    operands: command.args,
    help,
  }
}

/** The names of flags of which one was meant by this word, for a message: ` (Did you mean --base-url?)`, or nothing. */
export function suggestion(flags: Flags, word: string): string {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  for (const flag of Object.values(flags)) command.addOption(new Option(`--${nameOf(flag)}`))
  try {
    command.parse([`--${word}`], { from: 'user' })
  } catch (error) {
    const [, said = ''] = /(\(Did you mean .*\))/.exec(String(Object(error).message)) ?? []
    return said === '' ? '' : ` ${said}`
  }
  return ''
}

/** Makes the program of commander. Several commands are its subcommands. */
function createProgram(spec: ProgramSpec): Command {
  const { name, about, flags, commands, notes } = spec
  const program = new Command(name)
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  if (commands.length === 1) return addFlags(program, commands[0], flags)
  program
    .description(about ?? '')
    .usage('[COMMAND] [FLAGS]')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${operandsOf(command)}` })
  for (const command of commands) addFlags(program.command(command.name), command, flags)
  return program.addHelpText('after', `\n${notes ?? ''}`)
}

function addFlags(command: Command, spec: CommandSpec, flags: Flags): Command {
  if (spec.operands !== undefined) command.argument(spec.operands)
  if (spec.alias !== undefined) command.alias(spec.alias)
  command
    .description(spec.about)
    .usage(`[FLAGS] ${operandsOf(command)}`)
    .action(() => {})
  let group = ''
  for (const flag of Object.values(flags)) {
    group = flag.group ?? group
    command.addOption(optionOf(flag, spec.name).helpGroup(group))
  }
  return command.addHelpText('after', `\n${spec.notes}`)
}

function operandsOf({ registeredArguments }: Command): string {
  return registeredArguments
    .map((operand) => `[${operand.name().toUpperCase()}${operand.variadic ? '…' : ''}]`)
    .join(' ')
}

function optionOf(flag: Flag, command: string): Option {
  const name = nameOf(flag)
  const option = new Option(`--${name}${takesValue(flag) ? ' <value>' : ''}`, describe(flag))
  option.flags = flag.usage
  if (flag.short !== undefined) option.short = flag.short
  option.attributeName = () => name
  option.hideHelp(!isShown(flag, command))
  if (takesValue(flag) && flag.list)
    option.argParser((text, before?: string) => (before === undefined ? text : `${before},${text}`))
  else if (takesValue(flag) && flag.multiple)
    option.argParser((text, before: readonly string[] = []) => [...before, text])
  return option
}

/** Puts the command, or the default one, first: flags may precede their command here, but not with commander. */
function withCommand(spec: ProgramSpec, args: readonly string[]) {
  const at = findOperand(spec.flags, args)
  const [main, ...others] = spec.commands
  if (others.length === 0) return { words: args, isNamed: true }
  const first = args[at]
  const isNamed = spec.commands.some(({ name, alias }) => name === first || (alias ?? name) === first)
  const isOperand = main.operands !== undefined && first !== undefined && spec.isOperand?.(first) !== false
  if (first !== undefined && (isNamed || !isOperand))
    return { words: [first, ...args.toSpliced(at, 1)], isNamed }
  return { words: [main.name, ...args], isNamed }
}

/**
 * Returns the index of the first operand, or -1. Throws `UsageError` if a flag follows a flag that needs a value, because
 * commander would accept it as the value.
 */
function findOperand(flags: Flags, args: readonly string[]): number {
  let first = -1
  for (let at = 0; at < args.length && args[at] !== '--'; at++) {
    const [word = '', value] = args[at]?.split('=', 2) ?? []
    if (!word.startsWith('-')) {
      if (first === -1) first = at
      continue
    }
    const flag = Object.values(flags).find((each) => word === `--${nameOf(each)}` || word === each.short)
    // The word after an unknown flag may be its value.
    if (flag === undefined) return first
    if (!takesValue(flag) || value !== undefined) continue
    at += 1
    if (args[at] === undefined || /^-./.test(args[at] ?? ''))
      throw new UsageError(`--${nameOf(flag)}: a value is missing, expected ${flag.usage}`)
  }
  return first
}

/** Throws `UsageError` for a flag that this command does not take. */
function checkCommand(flags: Flags, given: Given, command: string): void {
  for (const flag of Object.values(flags))
    if (given[nameOf(flag)] !== undefined && flag.commands?.includes(command) === false)
      throw new UsageError(`--${nameOf(flag)}: ${command} does not take it, only ${flag.commands.join(', ')}`)
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return text
}
