// The flags of `npm run puppets`.
import { names, notEmpty } from '../harness/cli/flag-values.ts'
import { type Flags, flag, HELP_FLAG } from '../harness/cli/flags.ts'
import { FAMILIES } from './families.ts'

export const FAMILY_NAMES = FAMILIES.map(({ name }) => name)

export const FLAGS = {
  families: flag('--family NAMES', names)
    .with({ list: true, fallback: 'all', choices: FAMILY_NAMES })
    .means('Families of models, separated by commas'),
  out: flag('--out DIR', notEmpty)
    .with({ default: 'puppets-out' })
    .means('Folder to write to; it is created'),
  templates: flag('--templates DIR', notEmpty)
    .with({ fallback: 'from the package `node-llama-cpp`' })
    .means('Folder `models/templates` of a source of llama.cpp'),
  help: HELP_FLAG,
} as const satisfies Flags
