// `npm run puppets`: writes the puppets of families. Only this file writes to the terminal.
import { mkdirSync } from 'node:fs'
import { type ProgramSpec, readCommandLine } from '../harness/cli/command-line.ts'
import { readFlags } from '../harness/cli/flags.ts'
import { runProgram } from '../harness/cli/run-program.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { FAMILIES } from './families.ts'
import { FAMILY_NAMES, FLAGS } from './puppets-flags.ts'
import { readTemplates, TemplatesError } from './templates.ts'
import { writePuppet } from './write-puppet.ts'

const PUPPETS: ProgramSpec = {
  name: 'npm run puppets --',
  flags: FLAGS,
  commands: [
    {
      name: 'puppets',
      about: 'Writes a puppet for each family of models: a model that says known texts.',
      notes: `Exit codes:
  0  written
  2  wrong usage, or the chat templates cannot be read`,
    },
  ],
}

await runProgram({
  name: 'puppets',
  expected: [TemplatesError],
  safe: (text) => text,
  read(args) {
    const { given, help } = readCommandLine(PUPPETS, args)
    return { ...readFlags(FLAGS, given), help }
  },
  async run({ families = FAMILY_NAMES, out, templates }) {
    const unknown = families.find((name) => !FAMILY_NAMES.includes(name))
    if (unknown !== undefined)
      throw new UsageError(`--family: expected families among ${FAMILY_NAMES.join(', ')}; got '${unknown}'`)
    const read = readTemplates(templates)
    mkdirSync(out, { recursive: true })
    for (const family of FAMILIES.filter(({ name }) => families.includes(name))) {
      const { model, scripts, bytes } = writePuppet(family, read, out)
      const size = `${(bytes / 1e6).toFixed(1)} MB`
      process.stdout.write(
        `${model.padEnd(26)} ${String(scripts).padStart(3)} scripts  ${size.padStart(7)}\n`,
      )
    }
    process.stdout.write(`written to ${out}\n`)
    return 0
  },
})
