// The published schema of the record accepts every file of `results/`, and refuses a member that no entry has.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pairOf } from './pair.fixture.ts'
import { ENGINES } from './engine-entry.ts'
import { PAIRS } from './pair-entry.ts'
import { CAUSES, RECORD } from './public-record.ts'

const PUBLISHED = new URL('../../../docs/results.schema.json', import.meta.url)

const ajv = new Ajv2020({ allErrors: true })
formats.default(ajv)
ajv.addSchema(JSON.parse(readFileSync(PUBLISHED, 'utf8')) as object, 'results')

const DEFINITIONS = ['entry', 'causes', 'pair', 'engine'] as const

function validatorOf(definition: (typeof DEFINITIONS)[number]): ValidateFunction {
  return ajv.compile({ $ref: `results#/$defs/${definition}` })
}

function definitionOf(file: string): (typeof DEFINITIONS)[number] {
  if (basename(file) === CAUSES) return 'causes'
  const folder = file.split('/')[1]
  if (folder === ENGINES) return 'engine'
  return folder === PAIRS ? 'pair' : 'entry'
}

const files = globSync('[0-9]*/**/*.json', { cwd: RECORD })
const read = (file: string): object => JSON.parse(readFileSync(join(RECORD, file), 'utf8')) as object

describe.each(DEFINITIONS)('%s', (definition) => {
  const validate = validatorOf(definition)
  const own = files.filter((file) => definitionOf(file) === definition)

  test('it accepts every such file of the record', () => {
    const refused = own.filter((file) => !validate(read(file)))
    expect(refused).toEqual([])
    if (definition === 'engine') expect(own.length).toBeGreaterThan(0)
    else if (definition !== 'pair') expect(own.length).toBeGreaterThan(30)
  })

  test('it refuses an unknown member, and a file without one of its members', () => {
    const value = own[0] === undefined ? pairOf() : read(own[0])
    expect(validate(value)).toBe(true)
    expect(validate({ ...value, unknown: 1 })).toBe(false)
    const [first = ''] = Object.keys(value)
    expect(validate(Object.fromEntries(Object.entries(value).filter(([name]) => name !== first)))).toBe(false)
  })
})
