// The checks of gateways as data: names are unique, and every field of a request is tried.
import { expect, test } from 'vitest'
import { listAt } from '../../../harness/json-value.ts'
import { parseChatCompletionRequest } from '../../../spec/schemas/parse-request.ts'
import { chatCompletionFields } from '../../../spec/schemas/request.ts'
import { FIELD_VALUES } from './scenarios/requests/unchanged-requests.ts'
import { scenarios, selectChecks } from './catalogue.ts'

test('names of scenarios are unique', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
})

test('every optional field of a request is tried, and each value is valid', () => {
  const optional = Object.keys(chatCompletionFields.shape).filter((name) => !/^(model|messages)$/.test(name))
  expect(Object.keys(FIELD_VALUES).toSorted()).toEqual(optional.toSorted())
  for (const [name, body] of Object.entries(FIELD_VALUES)) {
    expect(body).toHaveProperty(name)
    const request = { model: 'm', messages: [{ role: 'user', content: 'x' }], ...body }
    expect(chatCompletionFields.safeParse(request)).toMatchObject({ success: true })
  }
})

test('every request of a scenario is valid', () => {
  for (const { name, request, turns = [] } of scenarios)
    for (const body of [request, ...turns.flatMap(({ requests }) => requests)]) {
      if (name.startsWith('vendor-')) continue
      const messages = [{ role: 'user', content: 'x' }, ...listAt(body, 'messages')]
      const parsed = parseChatCompletionRequest(
        { ...(JSON.parse(JSON.stringify(body)) as object), model: 'm', messages },
        { lenient: false },
      )
      expect({ name, parsed }).toMatchObject({ parsed: { request: {} } })
    }
})

test('--only selects checks by id and row with the scenarios that they need, and --quick leaves the slow ones out', () => {
  const ofRow = selectChecks({ only: 'GATE-9' })
  expect([...new Set(ofRow.checks.map(({ requirement: row }) => row))]).toEqual(['GATE-9'])
  expect(ofRow.scenarios).toHaveLength(ofRow.checks.length)
  const ofAll = selectChecks({ only: 'gate.upstream-key' })
  expect(ofAll.checks).toHaveLength(1)
  expect(ofAll.scenarios.length).toBeGreaterThan(100)
  const quick = selectChecks({ quick: true })
  expect(quick.scenarios.some(({ isSlow }) => isSlow)).toBe(false)
  expect(quick.checks.some(({ requirement: row }) => row === 'GATE-9')).toBe(false)
  expect(quick.checks.filter(({ requirement: row }) => row === 'GATE-12').length).toBeGreaterThan(5)
})
