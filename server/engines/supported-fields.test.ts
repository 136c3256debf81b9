// The table of the documentation says of both kinds of models exactly what their engines take.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chatCompletionFields } from '../../spec/schemas/request.ts'
import { NARROWED } from './constrained/schema/narrowed-keywords.ts'
import { EXPRESSED } from './constrained/schema/schema-keywords.ts'
import { STRING_FORMATS } from './constrained/grammar/string-formats.ts'
import { textSupport } from './supported-fields.ts'

const page = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8')
const table = page.split('## What each local model takes')[1]?.split('\n## ')[0] ?? ''

/** Each field of the table, with the cells of the echo model and of GGUF models. */
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [, fields = '', echo = '', gguf = ''] = line.split('|').map((cell) => cell.trim())
    return [...fields.matchAll(/`([a-z_]+)`/g)].map(([, field = '']) => ({ field, echo, gguf }))
  })

function cell(field: string): string | undefined {
  const rule = Object.entries(textSupport).find(([name]) => name === field)?.[1]
  return rule === undefined ? undefined : rule === true ? 'yes' : 'some'
}

describe('the table of what each local model takes', () => {
  it('has every field that a model takes, once', () => {
    expect(rows.map(({ field }) => field).toSorted()).toEqual(Object.keys(textSupport).toSorted())
    for (const { field } of rows) expect(Object.keys(chatCompletionFields.shape)).toContain(field)
  })

  it.each(rows)('says what becomes of $field', ({ field, echo, gguf }) => {
    expect({ echo, gguf }).toEqual({ echo: cell(field), gguf: cell(field) })
  })
})

describe('the table of the keywords of a schema', () => {
  const lines = (page.split('| keywords | how far |')[1]?.split('\n\n')[0] ?? '').split('\n')
  const names = (text = ''): string[] => [...text.matchAll(/`([\w$-]+)`/g)].map(([, name = '']) => name)

  it('has every keyword that a grammar can express, and no other', () => {
    const leading = ['type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf', ...NARROWED]
    const reported = lines.flatMap((line) => names(line.split('|')[1]))
    expect(reported.toSorted()).toEqual([...leading, ...Object.values(EXPRESSED).flat()].toSorted())
  })

  it('has every format, and no other', () => {
    const reported = names(lines.find((line) => line.startsWith('| `format`'))?.split('|')[2])
    expect(reported.toSorted()).toEqual(Object.keys(STRING_FORMATS).toSorted())
  })
})
