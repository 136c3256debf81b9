// The catalogue is complete and well-formed: reports, documents and other programs name its rows.
import { expect, test } from 'vitest'
import { isRequirementId, requirement, requirements } from './requirements.ts'

test('ids are unique, and the numbers of each section rise from 1', () => {
  const ids = requirements.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const sections = Map.groupBy(ids, (id) => id.slice(0, id.lastIndexOf('-')))
  for (const [section, members] of sections) {
    const numbers = members.map((id) => Number(id.slice(section.length + 1)))
    expect(numbers[0]).toBe(1)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  }
})

test('the sections are those of the specification, in its order, and those beyond it', () => {
  const sections = requirements.map(({ id }) => id.slice(0, id.lastIndexOf('-')))
  expect([...new Set(sections)]).toEqual([
    'AUTH',
    'KEY',
    'MODEL',
    'CHAT',
    'ERR',
    'LIMIT',
    'RETRY',
    'CALL',
    'READ',
    'VERS',
    'WIRE',
    'STREAM',
    'TOOL',
    'PARSE',
    'SDK',
    'GATE',
  ])
})

test('every row has a level, a subject, a source, and a text that ends as a sentence', () => {
  for (const row of requirements) {
    expect(['MUST', 'SHOULD', 'MAY']).toContain(row.level)
    expect(['server', 'client', 'gateway', 'dashboard', 'suite']).toContain(row.subject)
    expect(row.source).toMatch(/^(wire|gateways|[A-Z].*)$/)
    expect(row.text).toMatch(/^\S.*[.)]$/s)
    expect(row.text).not.toMatch(/ {2}|\n| $/)
  }
})

test('a row is found by its id, and nothing else is', () => {
  for (const row of requirements) {
    expect(isRequirementId(row.id)).toBe(true)
    expect(requirement(row.id)).toBe(row)
  }
  for (const id of ['AUTH-0', 'AUTH-99', 'auth-1', '', 'constructor', '__proto__'])
    expect(isRequirementId(id)).toBe(false)
})
