// The scenarios are well-formed, and a rule-keeping client has time for all of them.
import { expect, test } from 'vitest'
import { chatCompletion, chatCompletionChunk } from '../../../spec/schemas/response.ts'
import { errorEnvelope } from '../../../spec/protocol/error.ts'
import { createEventStreamParser } from '../../../spec/protocol/sse.ts'
import { parseChatCompletionRequest } from '../../../spec/schemas/parse-request.ts'
import { boundMs, clientChecks, expectedMs, expectedRunMs, scenarios, selectChecks } from './catalogue.ts'
import { openScenario } from './run-scenario.ts'
import { answer, refuse, toolAnswer } from '../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply } from '../../../harness/scripted-service/scripted-reply.ts'

const asked: Asked = {
  model: 'm-1',
  stream: false,
  includeUsage: true,
  tools: true,
  codings: [],
  id: 'chatcmpl-1',
  text: 'Grüße: 東京 👩‍👩‍👧',
  elsewhere: '',
}

function textOf({ pieces }: Reply): string {
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString('utf8')
}

test('names are unique, and a check compares with scenarios that exist', () => {
  const names = new Set(scenarios.map(({ name }) => name))
  expect(names.size).toBe(scenarios.length)
  for (const { beside = [] } of clientChecks) for (const name of beside) expect(names).toContain(name)
})

test('what the service answers is the format, exactly', () => {
  for (const step of [answer, toolAnswer]) {
    expect(chatCompletion.safeParse(JSON.parse(textOf(step(asked)))).error).toBeUndefined()
    const parser = createEventStreamParser()
    const events = parser.push(textOf(step({ ...asked, stream: true }))).map(({ data }) => data)
    expect(parser.rest()).toBe('')
    expect(events.pop()).toBe('[DONE]')
    for (const data of events) expect(chatCompletionChunk.safeParse(JSON.parse(data)).error).toBeUndefined()
  }
  for (const status of [400, 401, 404, 429, 500, 503])
    expect(errorEnvelope.safeParse(JSON.parse(textOf(refuse(status)(asked)))).error).toBeUndefined()
})

test('every chunk of a stream has the id of its answer, but for the report of a filter, which has none', () => {
  for (const { name, script } of scenarios)
    for (const step of script) {
      const reply = step({ ...asked, stream: true })
      if (reply.headers['content-type'] !== 'text/event-stream' || reply.end === 'endless') continue
      const ids = createEventStreamParser()
        .push(textOf(reply))
        .flatMap(({ data }) => /"id":"(chatcmpl[^"]*|)"/.exec(data)?.[1] ?? [])
      const others = new Set(ids.filter((id) => id !== 'chatcmpl-1'))
      expect([name, ...others]).toEqual(name === 'filter-chunk' ? [name, ''] : [name])
    }
})

test('four programs side by side take a minute for a quick run, and all others run beside the long stream', () => {
  expect(expectedRunMs(selectChecks({ quick: true }).scenarios, 4)).toBeLessThan(75_000)
  const longMs = Math.max(...scenarios.map(({ answerMs = 0 }) => answerMs))
  expect(expectedRunMs(scenarios, 4)).toBeLessThan(longMs + 10_000)
})

test('a quick run leaves the long stream out', () => {
  const ids = (quick: boolean) => selectChecks({ quick }).checks.map(({ check }) => check.id)
  expect(ids(false).filter((id) => !ids(true).includes(id))).toEqual(['read.long-stream'])
})

test('every request that a scenario asks for is one that the format allows', () => {
  const service = { origin: 'http://127.0.0.1', open() {} }
  for (const scenario of scenarios) {
    const { task } = openScenario(scenario, { service, seed: 1, model: 'm-1' })
    expect(parseChatCompletionRequest(task.request)).not.toHaveProperty('issue')
  }
})

test('every bound leaves a program time for what is due', () => {
  for (const scenario of scenarios)
    if (scenario.boundMs !== undefined && expectedMs(scenario) > 0)
      expect(boundMs(scenario)).toBeGreaterThan(expectedMs(scenario) + 4_000)
})

test('a program that retries a refusal five times, half a second and its doubles apart, has time to report it', () => {
  const waitsMs = 500 * (2 ** 5 - 1)
  const refused = scenarios.filter(({ checks }) =>
    checks.some(({ id }) => /^(read\.status|retry\.message-says-retry|retry\.code-retry)-4/.test(id)),
  )
  expect(refused.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['status-408', 'says-retry-409', 'code-retry-400']),
  )
  const tooShort = refused.filter((scenario) => boundMs(scenario) < waitsMs + 4_000)
  expect(tooShort.map(({ name }) => name)).toEqual([])
})

test('a selection has every scenario that its checks need', () => {
  const names = (only: string): readonly string[] => selectChecks({ only }).scenarios.map(({ name }) => name)
  expect(names('read.unknown-members')).toEqual(['plain', 'unknown-members'])
  expect(names('READ-8')).toEqual(expect.arrayContaining(['plain', 'streamed', 'stream-cut']))
  expect(names('call.key-in-output')).toEqual(expect.arrayContaining(['plain', 'streamed', 'status-401']))
  expect(selectChecks({ only: 'AUTH-*' }).checks).toEqual([])
})
